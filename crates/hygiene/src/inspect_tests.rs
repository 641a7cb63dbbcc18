use super::*;
use proptest::prelude::*;

fn found(text: &str) -> Option<&'static str> {
    inspect(text).map(|finding| finding.kind.id)
}

#[test] // spec: MEM-14
fn the_words_of_the_specification_pass() {
    for text in [
        "The password is asked for twice.",
        "a task-list and a risk-assessment",
        "password: <YOUR_TOKEN>, token=${VAR}, secret: xxxxxxxxxxxx",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test] // spec: MEM-14
fn a_documented_sample_is_refused_like_a_real_key() {
    assert_eq!(found(&["AK", "IAIOSFODNN7", "EXAMPLE"].concat()), Some("aws_access_key_id"));
}

#[test] // spec: MEM-14
fn the_strongest_finding_comes_first_and_findings_do_not_overlap() {
    let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    let text = format!("password = kR7wQz9pLm2x\nGITHUB_TOKEN={token}\n");
    assert_eq!(found(&text), Some("github_token"));
    let all: Vec<_> = inspect_all(&text).iter().map(|finding| finding.kind.id).collect();
    assert_eq!(all, ["assigned_secret", "github_token"]);
    let span = inspect(&text).expect("a token").span;
    assert_eq!(&text[span], token);
}

#[test] // spec: MEM-14
fn spans_point_into_the_original_text_behind_escapes() {
    let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    let text = format!("caf\u{e9} {}\u{200b}!", token.replace('_', "\\_"));
    let span = inspect(&text).expect("a token").span;
    assert_eq!(text[span], token.replace('_', "\\_"));
}

#[test] // spec: MEM-14
fn a_token_glued_to_a_name_is_found_and_a_name_is_not() {
    let body = "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro";
    let tokens = [
        (["gh", "p_", body].concat(), "github_token"),
        (["AK", "IA", "Q7ZT1LMXW9KD3VBN"].concat(), "aws_access_key_id"),
        (["np", "m_", body].concat(), "npm_token"),
        (["gl", "pat-", "q7Zt1LmXw9Kd3VbN5rPc"].concat(), "gitlab_token"),
        (["sk", "-proj-", body, body].concat(), "openai_key"),
        (["xo", "xb-", "204857391024-394857203948-", body].concat(), "slack_token"),
    ];
    for (token, kind) in &tokens {
        for text in [
            format!("x_{token}"),
            format!("foo_{token}_bar"),
            format!("file_{token}.md"),
            format!("20261116T070009Z_{token}_task.md"),
        ] {
            assert_eq!(found(&text), Some(*kind), "{text}");
            let span = inspect(&text).expect("a token").span;
            assert!(text[span].starts_with(token.as_str()), "{text}");
        }
    }
    for text in [
        "compute_y0_from_initial_conditions_and_boundary_values(x)",
        "the_sb_secret_is_read_from_the_environment_of_the_shell",
        "test_api-that-takes-a-long-time-to-answer",
        "read_npm_package_lock_and_write_it_back_again",
        "IS_AKIAPREFIXEDKEYIDX",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test] // spec: MEM-14
fn a_token_behind_an_escaped_sign_a_digit_or_the_rest_of_a_colour_is_found() {
    let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    for before in [r#"{"q":"access\u003d"#, r"x\u0026", r"\u003c", "1", "31m", " 0;32m", "\u{1b}[31m"] {
        let text = format!("{before}{token}");
        assert_eq!(found(&text), Some("github_token"), "{before}");
        assert_eq!(text[inspect(&text).expect("a token").span], token, "{before}");
    }
}

#[test] // spec: MEM-14
fn slack_app_tokens_short_atlassian_tokens_and_passwords_of_letters_are_found() {
    let slack = ["xa", "pp-1-AObOIRpFqaD-1881817414333-", &"efc2f91624a8940f".repeat(4)].concat();
    let atlassian =
        ["AT", "ATT3xFfGF0t0SXjMpu3uDxYYMfGmzWkpAePcEJIukB4geqNfngAFTCloiADN5RpVI2XQWh=1A2B3C4D"].concat();
    for (text, kind) in [
        (slack.as_str(), "slack_app_token"),
        (&atlassian, "atlassian_token"),
        ("PGPASSWORD=EtfjgVvVqE psql -h db", "assigned_secret"),
        ("MYSQL_PWD=qWxRtZuPl mysql", "assigned_secret"),
    ] {
        assert_eq!(found(text), Some(kind), "{text}");
    }
    for text in
        ["PGPASSWORD=MyPassWd psql", "PASSWORD=GitHubToken", "DB_PASSWORD=fromVault", "PASSWORD=OpenSslKey"]
    {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test] // spec: MEM-14
fn a_secret_at_either_end_of_a_large_note_is_found() {
    let token = ["gl", "pat-", "q7Zt1LmXw9Kd3VbN5rPc"].concat();
    let filler = "All work and no play. ".repeat(12_000);
    assert_eq!(found(&format!("{token} {filler}")), Some("gitlab_token"));
    assert_eq!(found(&format!("{filler}{token}")), Some("gitlab_token"));
}

/// Texts made to keep checks busy: literals in rows, endless runs, openings that never close.
const WORST: &[&str] = &[
    "A",
    "a",
    "-",
    "=",
    "eyJ",
    "-eyJ",
    "_eyJ",
    "_y0_",
    "_ghp_",
    "a_sk-proj-",
    ".eyJ",
    "eyJhbGciOiJIUzI1NiJ9.",
    "://",
    "://:@",
    "a://b:c@",
    "-----BEGIN ",
    "PRIVATE KEY",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "PRIVATE KEY aaaaaaaaaaaaaaa ",
    "T3BlbkFJ",
    "sk-T3BlbkFJ",
    "JQQJ9",
    "7Q~",
    "+ASt",
    "sig=",
    "password=",
    "password",
    "password is ",
    "password a ",
    "token: ",
    "secret: a = ",
    "curl ",
    "curl -u ",
    "machine a login b ",
    "kind: Secret\n",
    "kind: Secret\ndata:\n",
    "\"d\":\"",
    "\"kty\"\"d\":\"aaaaaaaaaaaaaaaaaaaaaaaa\"",
    "authorized_user",
    "\"refresh_token\"authorized_user",
    "xoxb-",
    "xoxb-1",
    "ghs_a-",
    "ghs_",
    "-EAA",
    "EAAA",
    "AAAAAAAAAAAAAAAAAAAAA",
    "-ABSK",
    "LS0tLS1CRUdJTi",
    "-LS0tLS1CRUdJTi",
    "b3BlbnNzaC1rZXk",
    "/b3BlbnNzaC1rZXk",
    "azure pat ",
    "vault key ",
    "okta token 00",
    "mnemonic: ",
    "seed phrase: abandon ",
    "<<<<<<< a\n",
    ">>>>>>> a\n=======\n",
    "bearer ",
    "basic ",
    ":AA",
    "1:AA",
    "MTAx",
    "MTAx.",
    "pat",
    "A3-",
    "otpauth://",
    ":5432:",
    "\\_",
    "%3D",
    "\u{200b}",
    "\u{1b}[0m",
    "sl.-",
    "1//0-",
    "glpat-.",
    "dp.pt.",
    "hooks.slack.com/",
    "webhook.office.com/",
    "accountkey=",
    "Server=;pwd=a;",
    "token: ",
    "password:\n",
    "\"password\"",
    "\"password\",",
    "name: password\n",
    "<password>",
    "<password a=",
    "<password><a>",
    "\n|password|\n|-|\n|a|\n",
    "|password|password|\n|-|\n|a|\n",
    "|password|",
    "password,",
    "password,a\n",
    "password\ta\n",
    "password a b c d e f g ",
    "as password ",
    "x as the password ",
    "pass ",
    "user a pass b ",
    "setenv PASSWORD ",
    "ENV PASSWORD a ",
    "--password ",
    "-password a ",
    "--secret-token a ",
    "docker login -p ",
    "docker login ",
    "redis-cli -a ",
    "curl -U a:",
    "htpasswd -b ",
    "net user ",
    "echo a | chpasswd",
    "| sudo -s",
    "auth=(\"a\",\"b\")",
    "auth=(",
    ".login(\"a\", ",
    "insert into a (password) values (",
    "insert into ",
    "AUTH ",
    "authorization: a ",
    "cookie: a=b;",
    "@tcp(",
    "a:b@tcp(",
    "sqlplus a/b@",
    "?key=a",
    "oapi.dingtalk.com/robot/send?a",
    "$2b$12$aaaa",
    "{SSHA}aaaa",
    "xprv9aaaa",
    "solana [1,2,",
    "minisign secret key\n",
    "dG9rOaaaa",
    "live_a",
    "_key=",
    "a_key: ",
    "psk=a",
    "unseal key 1: ",
    "client server secret\n",
    "smtp.a@b:c",
    "credentials: a / b ",
    "login a / b ",
    "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c} ",
    "\u{5bc6}\u{7801}",
    "\u{5bc6}\u{7801}\u{662f}",
    "aaaaaaaaaaaaaaaaaaaa_",
    "ab_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ",
    "1/1234567890:0123456789abcdef0123456789abcdef ",
];

#[test] // spec: MEM-14
fn the_work_grows_with_the_length_and_not_faster() {
    for piece in WORST {
        let steps = |len: usize| InspectPass::over(&piece.repeat(len / piece.len()), PassEnd::End).steps;
        let (one, two) = (steps(32 * 1024), steps(64 * 1024));
        assert!(two <= one * 9 / 4 + 65_536, "{piece:?}: {one} steps, then {two}");
        assert!(two <= 64 * 1024 * 120, "{piece:?}: {} steps for each byte", two / (64 * 1024));
    }
}

proptest! {
    #[test] // spec: MEM-14
    fn no_text_makes_it_panic_and_spans_are_sound(text in "\\PC{0,300}") {
        for finding in inspect_all(&text) {
            prop_assert!(text.get(finding.span.clone()).is_some(), "{:?}", finding);
        }
    }

    #[test] // spec: MEM-14
    fn no_mixture_of_literals_makes_it_panic_or_slow(
        pieces in prop::collection::vec((prop::sample::select(WORST), 1usize..40, "[\\x20-\\x7e\n\u{e9}]{0,12}"), 0..40),
    ) {
        let text: String = pieces.iter().map(|(piece, count, between)| piece.repeat(*count) + between).collect();
        let pass = InspectPass::over(&text, PassEnd::End);
        prop_assert!(pass.steps <= 200 * text.len() as u64 + 65_536, "{} steps for {} bytes", pass.steps, text.len());
        prop_assert_eq!(inspect(&text).is_some(), !inspect_all(&text).is_empty());
    }

    #[test] // spec: MEM-14
    fn every_literal_followed_by_anything_is_survived(rule in 0..RULES.len(), tail in "[ -~]{0,120}", head in "[ -~]{0,80}") {
        for key in RULES[rule].keys {
            let text = format!("{head}{key}{tail}");
            let _ = inspect_all(&text);
        }
    }
}

#[test] // spec: MEM-14
fn a_mark_at_the_very_start_of_a_text_is_survived() {
    for rule in RULES {
        for key in rule.keys {
            for head in ["", "a", "a1b2c3d4"] {
                let _ = inspect_all(&format!("{head}{key}"));
            }
        }
    }
}

#[test] // spec: MEM-14
fn a_weak_password_is_found_where_its_clause_ends() {
    for text in [
        "password is hunter2",
        "The admin password is hunter2 and the key lies in the vault.",
        "password is hunter2 and key is in vault",
        "The password is falcon77, but it was changed.",
        "The password is falcon77 but it was changed.",
        "the wifi (password is falcon77) is slow",
        "password is falcon77; log in with ana",
        "Das Passwort ist falcon77 und liegt im Tresor.",
    ] {
        assert!(found(text).is_some(), "{text}");
    }
    for text in [
        "The password is sha256 and salted.",
        "The password is base64 and then sent.",
        "the password is hashed and salted",
        "The password is required and checked in step2.",
        "password is optional and so is the token",
        "The password is stored in vault2 and rotated.",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}
