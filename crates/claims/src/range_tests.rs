use super::*;

fn lines(first: usize, last: usize) -> LineRange {
    LineRange { first, last }
}

fn hashed(text: &str, range: LineRange) -> RangeHash {
    hash_of(text, range).expect("there")
}

#[test] // spec: MEM-32
fn a_range_moves_with_its_text_and_changes_with_it_alone() {
    let text = "one\ntwo = 2\nthree = 3\nfour\n";
    let (range, anchor) = (lines(2, 3), Anchor::Lines(lines(2, 3)));
    let before = hashed(text, range);
    let check =
        |now: &str, expected: Freshness| assert_eq!(follow(now, &anchor, &before), expected, "{now:?}");
    check(text, Freshness::Fresh);
    check("one\ntwo = 2\nthree = 3\nfour\nfive\n", Freshness::Fresh);
    check("one\r\ntwo = 2\r\nthree = 3\r\nfour\r\n", Freshness::Fresh);
    check("one\ntwo = 2\nthree = 3", Freshness::Fresh);
    check("zero\none\ntwo = 2\nthree = 3\nfour\n", Freshness::Moved(lines(3, 4)));
    check("two = 2\nthree = 3\n", Freshness::Moved(lines(1, 2)));
    check("one\ntwo = 2\nthree = 4\nfour\n", Freshness::Changed);
    check("one\ntwo = 2\nbetween\nthree = 3\n", Freshness::Changed);
    check("", Freshness::Changed);
}

#[test] // spec: MEM-32
fn the_nearest_of_equal_lines_is_the_one_that_moved_and_a_bare_brace_is_none() {
    let text = "x = 1\ny = 2\nx = 1\n";
    let before = hashed(text, lines(3, 3));
    let now = "x = 1\ny = 2\nz = 3\nx = 1\n";
    assert_eq!(
        follow(now, &Anchor::Lines(lines(3, 3)), &before),
        Freshness::Changed,
        "too short to be told apart"
    );
    let text = "value = 1\ny\nvalue = 1\n";
    let before = hashed(text, lines(3, 3));
    let now = "value = 1\ny\nz\nvalue = 1\n";
    assert_eq!(follow(now, &Anchor::Lines(lines(3, 3)), &before), Freshness::Moved(lines(4, 4)));
    let brace = hashed("fn a() {\n}\n", lines(2, 2));
    assert_eq!(follow("}\nfn a() {\n", &Anchor::Lines(lines(2, 2)), &brace), Freshness::Changed);
}

#[test] // spec: MEM-32
fn looking_for_lines_ends_also_in_a_file_of_equal_ones() {
    let text = "same line\n".repeat(40_000);
    let mut before = hashed(&text, lines(1, 20_000));
    before.sha256 = "0".repeat(64);
    assert_eq!(follow(&text, &Anchor::Lines(lines(1, 20_000)), &before), Freshness::Unverifiable);
}

#[test] // spec: MEM-32
fn what_is_not_there_is_told() {
    let of = |anchor: &str| lines_of("a = 1\nb = 2\n", &Anchor::parse(anchor));
    assert_eq!(of("L1-L2"), Ok(lines(1, 2)));
    assert_eq!(of("L400"), Err(AnchorFault::Lines { count: 2 }));
    assert_eq!(of("b"), Ok(lines(2, 2)));
    assert_eq!(of("nosuch"), Err(AnchorFault::Symbol));
}

#[test] // spec: MEM-32
fn a_symbol_is_found_where_it_is_defined() {
    let rust = "use x::parse;\n\n/// parse this\nimpl Reader {\n    pub fn parse(\n        text: &str,\n    ) -> Self {\n        body(text)\n    }\n\n    fn other() {}\n}\n\npub struct Reader {\n    a: u8,\n}\nconst MAX: usize = 5;\nlet mut count = 3;\n";
    let python = "import retry\n\nMAX = 5\n\nclass Client:\n    def send(self):\n        return 1\n\n    def close(self):\n        pass\n\nasync def send():\n    await x\n";
    let go = "package x\n\nfunc (c *Client) Send(ctx context.Context) error {\n\treturn nil\n}\n\ntype Client struct {\n\tname string\n}\n";
    let typescript = "export const retry = async () => {\n  return 1;\n};\nexport default function main() {\n}\ninterface Row {\n  id: string;\n}\n";
    let c = "int helper(int a);\nstatic int helper(int a)\n{\n    return a;\n}\n";
    let yaml = "services:\n  web:\n    image: x\n  db:\n    image: y\n";
    let markdown = "# Guide\n\ntext\n\n## Set up now\n\none\n\n### Inner\n\ntwo\n\n## Next\n";
    type Case<'a> = (&'a str, &'a str, Option<(usize, usize)>);
    let table: &[Case<'_>] = &[
        (rust, "parse", Some((5, 9))),
        (rust, "Reader::parse", Some((5, 9))),
        (rust, "Reader", Some((4, 12))),
        (rust, "MAX", Some((17, 17))),
        (rust, "count", Some((18, 18))),
        (rust, "pars", None),
        (python, "MAX", Some((3, 3))),
        (python, "Client", Some((5, 10))),
        (python, "Client.close", Some((9, 10))),
        (python, "send", Some((6, 7))),
        (python, "retry", None),
        (go, "Send", Some((3, 5))),
        (go, "Client", Some((7, 9))),
        (typescript, "retry", Some((1, 3))),
        (typescript, "main", Some((4, 5))),
        (typescript, "Row", Some((6, 8))),
        (c, "helper", Some((2, 5))),
        (yaml, "web", Some((2, 3))),
        (yaml, "services", Some((1, 5))),
        (markdown, "set-up-now", Some((5, 11))),
        (markdown, "Set up now", Some((5, 11))),
    ];
    for (text, name, expected) in table {
        let found =
            lines_of(text, &Anchor::Symbol((*name).to_owned())).ok().map(|lines| (lines.first, lines.last));
        assert_eq!(found, *expected, "{name} in {text:?}");
    }
}

#[test] // spec: MEM-32
fn a_symbol_keeps_its_evidence_wherever_it_goes() {
    let text = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";
    let anchor = Anchor::Symbol("b".into());
    let before = hashed(text, lines_of(text, &anchor).expect("there"));
    let check =
        |now: &str, expected: Freshness| assert_eq!(follow(now, &anchor, &before), expected, "{now:?}");
    check(text, Freshness::Fresh);
    check("// new\n\nfn b() {\n    two();\n}\nfn a() {\n}\n", Freshness::Fresh);
    check("fn b() {\n    three();\n}\n", Freshness::Changed);
    check("fn a() {\n}\n", Freshness::Missing);
}

proptest::proptest! {
    #[test] // spec: MEM-32
    fn no_file_and_no_anchor_is_too_much(
        text in "([a-c ]{0,3}(fn|class|impl|#|\\{|\\}|=|:)?[ \\t\\n]){0,40}",
        anchor in "(L[0-9]{1,3}(-L[0-9]{1,3})?|[a-c:.]{1,5})",
    ) {
        let anchor = Anchor::parse(&anchor);
        if let Ok(found) = lines_of(&text, &anchor) {
            let before = hash_of(&text, found).expect("lines that were found are there");
            proptest::prop_assert_eq!(follow(&text, &anchor, &before), Freshness::Fresh);
        }
    }
}
