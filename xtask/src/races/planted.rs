//! A data race: two threads count in one place without any order between them. A tool that passes this finds nothing.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static mut COUNT: u64 = 0;

fn main() {
    let arrived = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                // Both threads live at the same time, without an order between what they do next.
                arrived.fetch_add(1, Ordering::Relaxed);
                while arrived.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
                for _ in 0..1000 {
                    // SAFETY: none. Both threads read and write the same place at the same time, which is the fault to be found.
                    unsafe { COUNT = black_box(COUNT) + 1 };
                }
            });
        }
    });
    // SAFETY: both threads have ended. Without a reader, the compiler leaves the counting out.
    println!("{}", unsafe { COUNT });
}
