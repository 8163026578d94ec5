//! Fair shares of the bytes that idle outputs could have carried.
//!
//! Invariant: no output carries more than it could. No share can grow unless a share that is no larger shrinks. So
//! the shares are max-min fair, to the byte (D. Bertsekas, R. Gallager, "Data Networks", 2nd edition, 6.5.2).

/// Users of the same outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Users {
    /// Places of the outputs, each once.
    pub(super) outputs: Vec<usize>,
    pub(super) number: u64,
}

/// Returns the share of each user of each kind; 0 for users of no output. `room` has the bytes that each output could
/// carry.
pub(super) fn max_min(mut room: Vec<u64>, users: &[Users]) -> Vec<u64> {
    let mut shares = vec![0; users.len()];
    let mut growing: Vec<bool> = users.iter().map(|users| !users.outputs.is_empty()).collect();
    let mut still = growing.clone();
    while growing.contains(&true) {
        let mut number = vec![0; room.len()];
        for (users, _) in users.iter().zip(&growing).filter(|(_, grows)| **grows) {
            users.outputs.iter().for_each(|output| number[*output] += users.number);
        }
        let parts = room.iter().zip(&number).filter(|(_, number)| **number > 0);
        let part = parts.map(|(room, number)| room / number).min().unwrap_or(0);
        for (room, number) in room.iter_mut().zip(&number) {
            *room -= part * number;
        }
        for (kind, users) in users.iter().enumerate().filter(|(kind, _)| growing[*kind]) {
            shares[kind] += part;
            // An output with less than a byte for each of its users is full: shares are whole bytes.
            still[kind] = users.outputs.iter().all(|output| room[*output] >= number[*output]);
        }
        growing.clone_from(&still);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users(outputs: &[usize], number: u64) -> Users {
        Users { outputs: outputs.to_vec(), number }
    }

    #[test]
    fn one_user_gets_what_its_narrowest_output_can_carry() {
        assert_eq!(max_min(vec![13_400, 8_100], &[users(&[0, 1], 1)]), [8_100]);
        assert_eq!(max_min(vec![0], &[users(&[0], 1)]), [0]);
        assert_eq!(max_min(vec![5], &[users(&[], 1)]), [0]);
    }

    #[test]
    fn users_of_one_output_share_it() {
        assert_eq!(max_min(vec![90], &[users(&[0], 3)]), [30]);
        assert_eq!(max_min(vec![90], &[users(&[0], 1), users(&[0], 2)]), [30, 30]);
    }

    /// Bertsekas and Gallager's example: others get the room that a user cannot use.
    #[test]
    fn a_user_that_is_limited_elsewhere_leaves_its_part_to_others() {
        let shares = max_min(vec![10, 100], &[users(&[0, 1], 2), users(&[1], 1)]);
        assert_eq!(shares, [5, 90]);
    }

    #[test]
    fn no_output_carries_more_than_it_could() {
        let all = [users(&[0], 3), users(&[0, 1], 2), users(&[1, 2], 4), users(&[2], 1)];
        let room = vec![1000, 700, 900];
        let shares = max_min(room.clone(), &all);
        for (output, room) in room.iter().enumerate() {
            let uses = |users: &Users| users.outputs.contains(&output);
            let carried: u64 = all
                .iter()
                .zip(&shares)
                .filter(|(users, _)| uses(users))
                .map(|(users, share)| users.number * share)
                .sum();
            assert!(carried <= *room && *room - carried < 10, "{output}: {carried} of {room}");
        }
    }
}
