//! Values of points, and the faults of spaces.

use proptest::prelude::*;

use super::*;

fn shipped() -> Vec<(&'static str, Space)> {
    SPACES
        .iter()
        .map(|(name, _)| (*name, Space::find(name).unwrap_or_else(|error| panic!("{error}"))))
        .collect()
}

fn refused(text: &str) -> String {
    Space::read(&ScenarioText::new("mine.ron", text)).expect_err("the text is no space").to_string()
}

fn with(parameters: &str) -> String {
    format!("(about: \"a\", parameters: [{parameters}])")
}

#[test]
fn ends_of_every_range_are_reached() {
    for (name, space) in shipped() {
        for parameter in &space.parameters {
            let (low, high) = (parameter.values.at(0.0), parameter.values.at(1.0 - 1e-12));
            let ends = match &parameter.values {
                Values::Integer { from, to } | Values::LogInteger { from, to } => (*from as f64, *to as f64),
                Values::Linear { from, to } | Values::Log { from, to } => (*from, *to),
                Values::Choice(choices) => {
                    assert_eq!((low, high), (Value::Choice(0), Value::Choice(choices.len() - 1)));
                    continue;
                }
            };
            assert_eq!(
                (low, high),
                (Value::Number(ends.0), Value::Number(ends.1)),
                "{name}: {}",
                parameter.name
            );
        }
    }
}

#[test]
fn whole_numbers_are_equally_likely() {
    let values = Values::Integer { from: 3, to: 7 };
    let mut counts = [0; 5];
    for step in 0..1000 {
        let Value::Number(number) = values.at(f64::from(step) / 1000.0) else { panic!("it is a number") };
        counts[number as usize - 3] += 1;
    }
    assert_eq!(counts, [200; 5]);
}

#[test]
fn the_text_of_a_value_has_its_unit_and_its_place() {
    let text = with(
        r#"(name: "a", path: "x.a", values: Log(from: 10, to: 1000), unit: "KB"),
           (name: "b", path: "x.b", values: Log(from: 2, to: 8), unit: "KB", times: "a"),
           (name: "c", path: "x.c", values: Integer(from: 1, to: 9), text: "Fixed({})"),
           (name: "d", path: "x.d", values: Choice(["On", "Off"]))"#,
    );
    let space = Space::read(&ScenarioText::new("mine.ron", &text)).unwrap_or_else(|error| panic!("{error}"));
    let overrides = space.overrides(&Point::new(vec![0.5, 0.5, 0.5, 0.9]));
    assert_eq!(space.at_ends(&Point::new(vec![0.0, 0.5, 0.99, 0.9])), ["a", "c"]);
    assert_eq!(overrides, ["x.a=\"100 KB\"", "x.b=\"400 KB\"", "x.c=Fixed(5)", "x.d=Off"]);
}

proptest! {
    /// The number of a value as it is written is the number of the point.
    #[test]
    fn a_value_reads_back_as_its_number(coordinates in proptest::collection::vec(0.0..1.0, 8)) {
        for (name, space) in shipped() {
            let point = Point::new(coordinates[..space.dimensions()].to_vec());
            let written = space.written(&point);
            for ((parameter, written), number) in space.parameters.iter().zip(written).zip(space.numbers(&point)) {
                prop_assert_eq!(parameter.number_of(&written), Some(number), "{}: {}", name, written);
            }
        }
    }

    /// Kmin stays below Kmax, and R_AI below R_HAI, at every point of the cube.
    #[test]
    fn a_multiple_keeps_its_order(coordinates in proptest::collection::vec(0.0..1.0, 8)) {
        let space = Space::find("dcqcn").unwrap();
        let numbers = space.numbers(&Point::new(coordinates));
        let place = |name: &str| space.place(name).unwrap();
        prop_assert!(numbers[place("kmin")] < numbers[place("kmax")]);
        prop_assert!(numbers[place("r_ai")] < numbers[place("r_hai")]);
    }
}

#[test]
fn a_value_of_another_form_has_no_number() {
    let space = Space::find("dcqcn").unwrap();
    let kmin = &space.parameters[0];
    assert_eq!(kmin.number_of("\"0.1 MB\""), Some(100.0));
    assert_eq!((kmin.number_of("\"3 us\""), kmin.number_of("Off"), kmin.number_of("")), (None, None, None));
    let step = &Space::find("iba").unwrap().parameters[4];
    assert_eq!(step.number_of("Entries([(0, 1)])"), None);
}

#[test]
fn faults_have_a_place_and_a_correction() {
    let all = [
        refused("(about: \"a\", parameters: [])"),
        refused(&with("(name: \"a\", path: \"x..y\", values: Integer(from: 1, to: 2))")),
        refused(&with("(name: \"a\", path: \"x\", values: Integer(from: 2, to: 2))")),
        refused(&with("(name: \"a\", path: \"x\", values: Log(from: 0, to: 2))")),
        refused(&with("(name: \"a\", path: \"x\", values: Choice([\"A\", \"A\"]))")),
        refused(&with("(name: \"a\", path: \"x\", values: Integer(from: 1, to: 2), text: \"F\")")),
        refused(&with("(name: \"a\", path: \"x\", values: Log(from: 2, to: 3), times: \"b\")")),
        refused(&with("(name: \"a\", path: \"x\", values: Log(from: 2, to: 3), until: \"b\")")),
        refused(&with("(name: \"a\", path: \"x\", values: Logg(from: 2, to: 3))")),
        refused("(about: \"a\", parameters: ["),
    ];
    insta::assert_snapshot!(all.join("\n\n"));
}
