//! Draws texts from templates: everything between `‹` and `›` is made anew by every draw.
//!
//! `‹b62:20-24›` draws characters of an alphabet, `‹a|b|c›` one of several words, and a bare name something of that
//! name (a host, a user, a password, a key block). What an alphabet or a password draws is secret; `~` before an
//! alphabet (`‹~hex:8›`) says that it is not. No template holds a credential, so none is ever in this repository.

use super::rng::{Rng, base64, base64url};

/// A text, and the parts of it that must not be shown.
pub(crate) struct Drawn {
    pub(crate) text: String,
    pub(crate) secrets: Vec<String>,
}

/// Draws one text from a template.
pub(crate) fn draw(r: &mut Rng, template: &str) -> Drawn {
    let mut drawn = Drawn { text: String::new(), secrets: Vec::new() };
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('‹') {
        let (atom, after) = after.split_once('›').unwrap_or_else(|| panic!("‹ without › in {template:?}"));
        drawn.text += before;
        fill(r, atom, &mut drawn);
        rest = after;
    }
    drawn.text += rest;
    drawn
}

fn fill(r: &mut Rng, atom: &str, drawn: &mut Drawn) {
    if atom.contains('|') {
        drawn.text += r.one(&atom.split('|').collect::<Vec<_>>());
        return;
    }
    let (name, open) = atom.strip_prefix('~').map_or((atom, false), |name| (name, true));
    let text = match name.split_once(':') {
        Some((name, size)) => sized(r, name, size),
        None => match plain_word(r, name) {
            Some(word) => {
                drawn.text += &word;
                return;
            }
            None => secret_word(r, name),
        },
    };
    if !open {
        drawn.secrets.push(text.clone());
    }
    drawn.text += &text;
}

/// Characters of an alphabet: `hex:32`, or `hex:32-40` for any length between.
fn sized(r: &mut Rng, name: &str, size: &str) -> String {
    if name == "pem" {
        return pem(r, size);
    }
    let (min, max) = size.split_once('-').unwrap_or((size, size));
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{name}:{size} has no length"));
    let len = r.between(number(min), number(max));
    match name {
        "b62" => r.b62(len),
        "b64" => r.b64(len),
        "b64u" => r.b64u(len),
        "b36" => r.b36(len),
        "B36" => r.upper36(len),
        "b32" => r.b32(len),
        "b32l" => r.lower32(len),
        "hex" => r.hex(len),
        "HEX" => r.upper_hex(len),
        "letters" => r.letters(len),
        "lower" => r.from(b"abcdefghijklmnopqrstuvwxyz", len),
        "upper" => r.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", len),
        "digits" => r.digits(len),
        "b58" => r.from(b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", len),
        "bech" => r.from(b"qpzry9x8gf2tvdw0s3jn54khce6mua7l", len),
        "BECH" => r.from(b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", len),
        "crypt" => r.from(b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", len),
        "bytes" => base64(&r.bytes(len)),
        "bytesu" => base64url(&r.bytes(len)),
        "numbers" => (0..len).map(|_| r.below(256).to_string()).collect::<Vec<_>>().join(","),
        _ => panic!("no alphabet is called {name:?}"),
    }
}

/// Words around a secret that may be shown.
fn plain_word(r: &mut Rng, name: &str) -> Option<String> {
    Some(match name {
        "user" => r.one(USERS).to_owned(),
        "host" => r.one(HOSTS).to_owned(),
        "db" => r.one(&["orders", "billing", "app_prod", "warehouse", "crm"]).to_owned(),
        "word" => r.one(WORDS).to_owned(),
        "mail" => format!("{}@{}", r.one(USERS), r.one(&["acme.io", "firma.de", "corp.internal"])),
        // Names that say that the value is a secret.
        "KEY" => r.one(NAMES).to_owned(),
        "key" => r.one(NAMES).to_lowercase(),
        "kebab" => r.one(NAMES).to_lowercase().replace('_', "-"),
        "Key" => camel(r.one(NAMES)),
        "PWKEY" => r.one(PASSWORD_NAMES).to_owned(),
        "pwkey" => r.one(PASSWORD_NAMES).to_lowercase(),
        "PwKey" => camel(r.one(PASSWORD_NAMES)),
        _ => return None,
    })
}

fn camel(name: &str) -> String {
    let mut text = String::new();
    for (at, part) in name.to_lowercase().split('_').enumerate() {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if at > 0 => text.extend(first.to_uppercase().chain(letters)),
            Some(first) => text.extend(std::iter::once(first).chain(letters)),
            None => {}
        }
    }
    text
}

fn secret_word(r: &mut Rng, name: &str) -> String {
    match name {
        "uuid" => r.uuid(),
        // A password in quotes, in a line or in XML, without escapes.
        "pw" => password(r, b"!#%*+-=?_~^@"),
        // A password for the part of an address before the `@`, or for an unquoted word of a shell.
        "pwu" => password(r, b"-_.~!"),
        // A password that a machine made.
        "random" => random(r, b"!#*+-=?_"),
        "weak" => format!("{}{}", r.one(WORDS), r.between(1, 999)),
        // Letters alone: a word, or two joined.
        "letterword" => letter_word(r),
        "Letterword" => title(&letter_word(r)),
        "passphrase" => (0..4).map(|_| r.one(WORDS)).collect::<Vec<_>>().join("-"),
        "jwt" => jwt(r),
        "basic" => base64(format!("{}:{}", r.one(USERS), password(r, b"!#%*")).as_bytes()),
        "hexkey" => format!("0x{}", r.hex(64)),
        "spaced4" => (0..6).map(|_| r.b62(4)).collect::<Vec<_>>().join(" "),
        "dashed4" => (0..4).map(|_| r.from(b"abcdefghijklmnopqrstuvwxyz", 4)).collect::<Vec<_>>().join("-"),
        "mnemonic" => (0..12).map(|_| r.one(BIP39)).collect::<Vec<_>>().join(" "),
        // Tokens that are written in base64 and say something.
        "grafanacloud" => {
            encoded(r, "{\"o\":\"‹~digits:6›\",\"n\":\"ci\",\"k\":\"‹b62:24›\",\"m\":{\"r\":\"eu\"}}")
        }
        "grafanaold" => encoded(r, "{\"k\":\"‹b62:32›\",\"n\":\"ci\",\"id\":1}"),
        "sentryclaims" => encoded(
            r,
            "{\"iat\":‹~digits:10›.‹~digits:6›,\"url\":\"https://sentry.io\",\"region_url\":\"https://de.sentry.io\",\"org\":\"acme\"}",
        ),
        "onepassword" => encoded(
            r,
            "{\"signInAddress\":\"my.1password.com\",\"userAuth\":{\"method\":\"SRPg-4096\",\"alg\":\"PBES2g-HS256\",\"iterations\":650000,\
             \"salt\":\"‹b64u:22›\"},\"email\":\"‹b36:13›@1passwordserviceaccounts.com\",\"srpX\":\"‹hex:64›\",\"secretKey\":\"A3-‹B36:6›-‹B36:11›\"}",
        ),
        "mapboxclaims" => encoded(r, "{\"u\":\"acme\",\"a\":\"c‹b36:24›\"}").trim_end_matches('=').to_owned(),
        "intercom" => encoded(r, "tok:‹hex:8›_‹hex:4›_‹hex:4›_‹hex:4›_‹hex:12›:1:0"),
        "discordid" => encoded(r, "1‹~digits:18›").trim_end_matches('=').to_owned(),
        "reftkn" => encoded(r, "reftkn:01:‹~digits:10›:‹b62:27›"),
        "bitbucketserver" => encoded(r, "‹~digits:12›:‹b62:20›"),
        "pemdata" => base64(pem(r, "EC PRIVATE KEY").as_bytes()),
        _ => panic!("nothing is called {name:?}"),
    }
}

/// A drawn text in base64.
fn encoded(r: &mut Rng, template: &str) -> String {
    base64(draw(r, template).text.as_bytes())
}

/// Passwords as people and machines make them.
fn password(r: &mut Rng, symbols: &[u8]) -> String {
    match r.below(8) {
        0 => random(r, symbols),
        1 => {
            let len = r.between(16, 24);
            r.b62(len)
        }
        2 => format!("{}{}{}", title(r.one(WORDS)), r.between(1980, 2027), r.one(&["!", "!!", "_", "-"])),
        3 => format!("{}-{}-{}", r.one(WORDS), r.one(WORDS), r.between(10, 9999)),
        4 => {
            let word = title(r.one(WORDS)) + r.one(WORDS);
            let leet = word.replace('o', "0").replace('e', "3").replace('a', "4");
            format!("{leet}{}{}", char::from(symbols[r.below(symbols.len())]), r.between(1, 99))
        }
        5 => {
            let len = r.between(24, 40);
            r.hex(len)
        }
        6 => {
            let len = r.between(9, 11);
            r.from(b"abcdefghijklmnopqrstuvwxyz", 1) + &r.b36(len) + &r.from(b"0123456789", 1)
        }
        _ => {
            let len = r.between(16, 20);
            r.letters(len)
        }
    }
}

/// A password of six letters or more that a person makes of words.
fn letter_word(r: &mut Rng) -> String {
    let word = r.one(WORDS).to_owned();
    if word.len() < 6 || r.below(2) == 0 { word + r.one(WORDS) } else { word }
}

/// Letters, digits and signs, each at least once, beginning with a letter.
fn random(r: &mut Rng, symbols: &[u8]) -> String {
    let len = r.between(10, 16);
    let mut text = r.letters(1);
    for at in 0..len {
        text.push(match at % 5 {
            2 => char::from(symbols[r.below(symbols.len())]),
            4 => char::from(b"0123456789"[r.below(10)]),
            _ => char::from(super::rng::B62[r.below(62)]),
        });
    }
    text + &r.b62(1)
}

fn title(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn jwt(r: &mut Rng) -> String {
    let header = format!("{{\"alg\":\"{}\",\"typ\":\"JWT\"}}", r.one(&["HS256", "RS256", "ES256"]));
    let claims =
        format!("{{\"sub\":\"{}\",\"iat\":{}}}", r.digits(10), r.between(1_600_000_000, 1_900_000_000));
    let signature = r.bytes(32);
    [base64url(header.as_bytes()), base64url(claims.as_bytes()), base64url(&signature)].join(".")
}

fn pem(r: &mut Rng, label: &str) -> String {
    let head: &[u8] =
        if label.starts_with("OPENSSH") { b"openssh-key-v1\0\0\0\0\x04none" } else { &[0x30, 0x82, 0x04] };
    let mut bytes = head.to_vec();
    bytes.extend(r.bytes(300));
    let body = base64(&bytes);
    let lines: Vec<&str> = (0..body.len()).step_by(64).map(|at| &body[at..body.len().min(at + 64)]).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----", lines.join("\n"))
}

const USERS: &[&str] =
    &["admin", "root", "deploy", "svc_app", "bob", "maria.lopez", "ci-bot", "postgres", "jenkins", "ana"];
const HOSTS: &[&str] = &[
    "db.prod.internal",
    "10.20.3.4",
    "db-7.eu-west-1.rds.amazonaws.com",
    "cache.corp.net",
    "mq01.firma.de",
    "api.acme.io",
    "git.acme.io",
];
const WORDS: &[&str] = &[
    "falcon", "sommer", "winter", "dragon", "tiger", "orange", "guitar", "harbor", "canyon", "velvet",
    "cobalt", "marble", "thunder", "rocket", "pepper", "silver", "jupiter", "bamboo", "lantern", "granite",
    "walnut", "copper", "meadow", "puzzle", "saturn", "turnip", "violet", "zephyr", "monkey", "hunter",
];
const NAMES: &[&str] = &[
    "DB_PASSWORD",
    "POSTGRES_PASSWORD",
    "MYSQL_ROOT_PASSWORD",
    "REDIS_PASSWORD",
    "SMTP_PASSWORD",
    "ADMIN_PASSWORD",
    "API_KEY",
    "SECRET_KEY",
    "CLIENT_SECRET",
    "JWT_SECRET",
    "AUTH_TOKEN",
    "ACCESS_TOKEN",
    "REFRESH_TOKEN",
    "SESSION_SECRET",
    "ENCRYPTION_KEY",
    "SIGNING_KEY",
    "WEBHOOK_SECRET",
    "APP_SECRET",
    "DEPLOY_TOKEN",
    "SERVICE_API_KEY",
    "LDAP_BIND_PASSWORD",
    "KEYSTORE_PASSWORD",
    "BOT_TOKEN",
    "MASTER_KEY",
    "PRIVATE_TOKEN",
    "PASSWD",
    "DB_PASS",
    "USER_PWD",
];
const PASSWORD_NAMES: &[&str] = &[
    "DB_PASSWORD",
    "POSTGRES_PASSWORD",
    "MYSQL_ROOT_PASSWORD",
    "REDIS_PASSWORD",
    "SMTP_PASSWORD",
    "ADMIN_PASSWORD",
    "LDAP_BIND_PASSWORD",
    "KEYSTORE_PASSWORD",
    "APP_PASSWORD",
    "PASSWORD",
];
const BIP39: &[&str] = &[
    "abandon", "ability", "able", "about", "above", "absent", "absorb", "abstract", "absurd", "abuse",
    "access", "accident", "account", "accuse", "achieve", "acid", "acoustic", "acquire", "across", "act",
    "zebra", "zero", "zone", "zoo", "yellow", "wrestle", "wolf", "winner", "wheat", "venue", "vanish",
    "umbrella", "trumpet", "toast", "sunset", "spirit", "rocket",
];
