//! Secrets that never were, made from published formats.
//!
//! This list was written from the formats, not from the table of rules, and each prefix is put together at
//! run time so that nothing here looks like a secret to a scanner.

use super::rng::{Rng, base62_number, base64, base64url, crc32};

/// A made-up secret.
pub(crate) struct Secret {
    /// The text in the note.
    pub(crate) text: String,
    /// The part that must never be shown again.
    pub(crate) body: String,
    /// Whether it brings its own surroundings.
    pub(crate) whole: bool,
}

pub(crate) type Recipe = (&'static str, fn(&mut Rng) -> Secret);

/// A token: a public prefix and a secret rest.
fn t(prefix: &str, body: String) -> Secret {
    Secret { text: format!("{prefix}{body}"), body, whole: false }
}

/// Lines with their own surroundings.
fn w(body: String, text: impl Fn(&str) -> String) -> Secret {
    Secret { text: text(&body), body, whole: true }
}

fn armour(words: &str, lines: &[String]) -> String {
    let dashes = "-".repeat(5);
    format!("{dashes}BEGIN {words}{dashes}\n{}\n{dashes}END {words}{dashes}", lines.join("\n"))
}

fn key_lines(r: &mut Rng, head: &str, count: usize) -> Vec<String> {
    let mut lines: Vec<String> = (0..count).map(|_| r.b64(64)).collect();
    lines[0] = format!("{head}{}", &lines[0][head.len()..]);
    lines.push(r.b64(22) + "==");
    lines
}

fn pem(r: &mut Rng, words: &str, head: &str) -> Secret {
    let lines = key_lines(r, head, 6);
    Secret { text: armour(words, &lines), body: lines.join(""), whole: true }
}

fn jwt(r: &mut Rng) -> String {
    let header = base64url(b"{\"alg\":\"RS256\",\"typ\":\"JWT\"}");
    let claims = format!("{{\"sub\":\"{}\",\"iat\":17{},\"scope\":\"read\"}}", r.digits(10), r.digits(8));
    let bytes = r.bytes(64);
    format!("{header}.{}.{}", base64url(claims.as_bytes()), base64url(&bytes))
}

const WORDS: &[&str] = &[
    "Harbour", "Lantern", "Copper", "Meadow", "Falcon", "Winter", "Marble", "Garden", "Thunder", "Orchid",
    "Saffron", "Glacier",
];

/// A password as people choose them.
fn human(r: &mut Rng) -> String {
    let word = r.one(WORDS).to_string();
    let other = r.one(WORDS).to_lowercase();
    match r.below(5) {
        0 => format!("{word}20{}{}", r.digits(2), r.one(&["!", "#", "?", "@"])),
        1 => format!("{}-{other}-{}", word.to_lowercase(), r.digits(2)),
        2 => r.from(b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!#%+=?", 12) + "7a",
        3 => r.b62(14) + "9x",
        _ => format!("{word}{}{}{}", r.one(&["_", "!", "+"]), r.digits(4), r.letters(3)),
    }
}

fn random(r: &mut Rng) -> String {
    match r.below(4) {
        0 => r.b62(24),
        1 => r.hex(32),
        2 => r.b64u(40),
        _ => r.b36(32),
    }
}

/// Every recipe.
#[rustfmt::skip]
pub(crate) const RECIPES: &[Recipe] = &[
    // Keys in armour.
    ("pkcs8", |r| pem(r, &["PRIVATE", "KEY"].join(" "), "MIIE")),
    ("pkcs1", |r| pem(r, &["RSA", "PRIVATE", "KEY"].join(" "), "MIIE")),
    ("ec", |r| pem(r, &["EC", "PRIVATE", "KEY"].join(" "), "MHcC")),
    ("pkcs8 encrypted", |r| pem(r, &["ENCRYPTED", "PRIVATE", "KEY"].join(" "), "MIIF")),
    ("pkcs1 with headers", |r| { let lines = key_lines(r, "MIIE", 5); let mut all = vec!["Proc-Type: 4,ENCRYPTED".into(), format!("DEK-Info: AES-128-CBC,{}", r.upper_hex(32)), String::new()]; all.extend(lines.clone()); Secret { text: armour(&["RSA", "PRIVATE", "KEY"].join(" "), &all), body: lines.join(""), whole: true } }),
    ("pem cut off", |r| { let mut s = pem(r, &["PRIVATE", "KEY"].join(" "), "MIIE"); s.text.truncate(140); s.body.truncate(60); s }),
    ("pem with escapes", |r| { let mut s = pem(r, &["RSA", "PRIVATE", "KEY"].join(" "), "MIIE"); s.text = format!("DEPLOY_PEM=\"{}\"", s.text.replace('\n', "\\n")); s }),
    ("openssh", |r| pem(r, &["OPENSSH", "PRIVATE", "KEY"].join(" "), "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU")),
    ("openssh body", |r| t("", format!("b3BlbnNzaC1rZXktdjE{}", r.b64(120)))),
    ("pgp", |r| pem(r, &["PGP", "PRIVATE", "KEY", "BLOCK"].join(" "), "lQOY")),
    ("ssh2", |r| { let lines = key_lines(r, "P2/56w", 5); let d = "-".repeat(4); Secret { text: format!("{d} BEGIN SSH2 ENCRYPTED {} KEY {d}\nComment: \"a key\"\n{}\n", "PRIVATE", lines.join("\n")), body: lines.join(""), whole: true } }),
    ("putty", |r| { let lines = key_lines(r, "AAAA", 3); Secret { text: format!("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: build\nPublic-Lines: 2\n{}\n{}\nPrivate-Lines: 3\n{}\nPrivate-MAC: {}", r.b64(64), r.b64(40), lines.join("\n"), r.hex(64)), body: lines.join(""), whole: true } }),
    ("openvpn", |r| { let lines: Vec<_> = (0..16).map(|_| r.hex(32)).collect(); Secret { text: armour("OpenVPN Static key V1", &lines), body: lines.join(""), whole: true } }),
    ("wrapped pem", |r| { let inner = pem(r, &["RSA", "PRIVATE", "KEY"].join(" "), "MIIE").text; t("", base64(inner.as_bytes())) }),
    ("wrapped pem 2", |r| { let inner = pem(r, &["EC", "PRIVATE", "KEY"].join(" "), "MHcC").text; t("", base64(inner.as_bytes())) }),
    ("wrapped pem 3", |r| { let inner = pem(r, &["PRIVATE", "KEY"].join(" "), "MIIE").text; t("", base64(inner.as_bytes())) }),
    ("age", |r| t(&["AGE-SECRET", "-KEY-1"].concat(), r.from(b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))),
    ("wireguard", |r| { let bytes = r.bytes(32); w(base64(&bytes), |b| format!("[Interface]\nPrivateKey = {b}\nAddress = 10.8.0.2/24")) }),
    ("wireguard psk", |r| { let bytes = r.bytes(32); w(base64(&bytes), |b| format!("[Peer]\nPresharedKey = {b}\nAllowedIPs = 10.8.0.0/24")) }),
    ("nats", |r| { let head = r.one(&["SUA", "SAA", "SOA"]); t(head, r.b32(55)) }),
    ("jwk", |r| { let (x, n) = (r.b64u(43), r.b64u(43)); w(r.b64u(43), |d| format!("{{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{x}\",\"y\":\"{n}\",\"d\":\"{d}\"}}")) }),
    ("jwk rsa", |r| { let n = r.b64u(342); w(r.b64u(342), |d| format!("{{\"kty\": \"RSA\", \"n\": \"{n}\", \"e\": \"AQAB\", \"d\": \"{d}\"}}")) }),
    ("jwk oct", |r| w(r.b64u(43), |k| format!("{{\"kty\":\"oct\",\"k\":\"{k}\",\"alg\":\"HS256\"}}"))),
    ("wallet hex", |r| w(r.hex(64), |b| format!("deployer private key: 0x{b}"))),
    ("wallet wif", |r| w("5".to_owned() + &r.from(b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 50), |b| format!("Private key = {b}"))),
    ("mnemonic", |r| { const LIST: &[&str] = &["abandon", "garden", "velvet", "orbit", "pumpkin", "lunar", "castle", "mirror", "sunset", "rocket", "tiger", "anchor", "fabric", "gossip", "harvest", "island", "jungle", "walnut"]; let words: Vec<&str> = (0..12).map(|_| r.one(LIST)).collect(); w(words.join(" "), |b| format!("seed phrase: {b}")) }),

    // Clouds.
    ("aws id", |r| { let head = r.one(&["AKIA", "ASIA", "ABIA", "ACCA"]); t(head, r.b32(16)) }),
    ("aws sample id", |r| t("AKIA", r.b32(9) + "EXAMPLE")),
    ("aws secret", |r| w(r.b64(40), |b| format!("aws_secret_access_key = {b}"))),
    ("aws secret json", |r| w(r.b64(40), |b| format!("\"SecretAccessKey\": \"{b}\","))),
    ("aws secret spoken", |r| w(r.b64(40), |b| format!("The secret access key is {b} for the backup user."))),
    ("aws bedrock", |r| t("ABSK", r.b64(124))),
    ("aws bedrock session", |r| { let bytes = r.bytes(90); t(&["bedrock", "-api-key-"].concat(), base64(&[b"bedrock.amazonaws.com/?Action=", &bytes[..]].concat())) }),
    ("aws appsync", |r| t("da2-", r.b36(26))),
    ("aws mws", |r| t("amzn.mws.", r.uuid())),
    ("google api", |r| t("AIza", r.b64u(35))),
    ("gemini", |r| t("AQ.Ab8RN6", r.b64u(44))),
    ("google secret", |r| t("GOCSPX-", r.b64u(28))),
    ("google access", |r| { let len = r.between(60, 180); t("ya29.", r.b64u(len)) }),
    ("google refresh", |r| t("1//0", r.b64u(95))),
    ("service account", |r| { let key = pem(r, &["PRIVATE", "KEY"].join(" "), "MIIE"); let id = r.hex(40); w(key.body.clone(), |_| format!("{{\n  \"type\": \"service_account\",\n  \"project_id\": \"notes\",\n  \"private_key_id\": \"{id}\",\n  \"private_key\": \"{}\\n\",\n  \"client_email\": \"ci@notes.iam\"\n}}", key.text.replace('\n', "\\n"))) }),
    ("google user", |r| { let (id, secret) = (r.digits(12), r.b62(24)); w(r.b62(80), |b| format!("{{\n  \"client_id\": \"{id}-x.apps.googleusercontent.com\",\n  \"client_secret\": \"{secret}\",\n  \"refresh_token\": \"{b}\",\n  \"type\": \"authorized_user\"\n}}")) }),
    ("azure account", |r| w(r.b64(86), |b| format!("DefaultEndpointsProtocol=https;AccountName=notes;AccountKey={b}==;EndpointSuffix=core.windows.net"))),
    ("azure shared", |r| w(r.b64(43), |b| format!("Endpoint=sb://notes.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={b}="))),
    ("azure 64", |r| { let mark = r.one(&["+ASt", "ACDb", "+ABa", "+AMC"]); let (head, tail) = (r.b64(76), r.b64(6)); t("", format!("{head}{mark}{tail}==")) }),
    ("azure 32", |r| { let mark = r.one(&["+ASb", "+AEh", "+ARm", "AIoT", "AzCa", "AZEG"]); let (head, tail) = (r.b64(33), r.b64(5)); t("", format!("{head}{mark}{}{tail}=", r.from(b"ABCDEFGHIJKLMNOP", 1))) }),
    ("azure registry", |r| { let (head, tail) = (r.b64(42), r.b64(6)); t("", format!("{head}+ACR{tail}")) }),
    ("azure search", |r| { let (head, tail) = (r.b62(42), r.b62(6)); t("", format!("{head}AzSe{tail}")) }),
    ("azure functions", |r| { let (head, tail) = (r.b64u(44), r.b64u(6)); t("", format!("{head}AzFu{tail}==")) }),
    ("azure annotated", |r| { let (head, tail) = (r.b62(52), r.b62(26)); t("", format!("{head}JQQJ9{}{tail}", r.one(&["9", "D", "H"]))) }),
    ("azure client", |r| { let (head, digit) = (r.b62(3), r.one(&["7", "8"])); let len = r.between(31, 34); t("", format!("{head}{digit}Q~{}", r.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-~", len))) }),
    ("azure sas", |r| { let bytes = r.bytes(32); let sig = base64(&bytes).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D"); w(sig, |b| format!("https://notes.blob.core.windows.net/c/x?sv=2023-11-03&st=2026-01-01&se=2026-02-01&sr=b&sp=r&sig={b}")) }),
    ("azure devops", |r| w(r.lower32(52), |b| format!("AZURE_DEVOPS_PAT={b}"))),
    ("alibaba", |r| t("LTAI", r.b62(20))),
    ("tencent", |r| t("AKID", r.b62(32))),
    ("yandex", |r| t("AQVN", r.b64u(36))),
    ("digitalocean", |r| { let head = r.one(&["dop_v1_", "doo_v1_", "dor_v1_"]); t(head, r.hex(64)) }),
    ("heroku", |r| t("HRKU-AA", r.b64u(58))),
    ("heroku old", |r| t("HRKU-", r.uuid())),
    ("heroku uuid", |r| w(r.uuid(), |b| format!("HEROKU_API_KEY={b}"))),
    ("codecov", |r| w(r.uuid(), |b| format!("CODECOV_TOKEN: {b}"))),
    ("fly", |r| { let head = r.one(&["FlyV1 fm2_", "fm1r_", "fm2_"]); t(head, r.b64(160)) }),
    ("fly org", |r| t("fo1_", r.b64u(43))),
    ("render", |r| t("rnd_", r.b62(28))),
    ("netlify", |r| t("nfp_", r.b62(36))),
    ("vercel", |r| { let head = r.one(&["vcp_", "vci_", "vca_", "vcr_", "vck_"]); t(head, r.b62(56)) }),
    ("cloudflare", |r| { let head = r.one(&["cfat_", "cfut_", "cfk_"]); let body = r.b62(40); t(head, body + &r.hex(8)) }),
    ("cloudflare origin", |r| { let head = r.hex(24); t("v1.0-", format!("{head}-{}", r.hex(146))) }),
    ("cloudflare global", |r| w(r.hex(37), |b| format!("CLOUDFLARE_API_KEY={b}"))),
    ("supabase", |r| t("sbp_", r.hex(40))),
    ("supabase v0", |r| t("sbp_v0_", r.hex(40))),
    ("supabase secret", |r| t("sb_secret_", r.b64u(31))),
    ("planetscale", |r| { let head = r.one(&["pscale_tkn_", "pscale_oauth_", "pscale_pw_"]); t(head, r.b64u(43)) }),
    ("neon", |r| t("napi_", r.b36(64))),
    ("atlas", |r| t("mdb_sa_sk_", r.b64u(40))),
    ("astra", |r| { let head = r.b62(24); t("AstraCS:", format!("{head}:{}", r.hex(64))) }),

    // Source hosting, registries, build services.
    ("github", |r| { let head = r.one(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"]); t(head, r.b62(36)) }),
    ("github checked", |r| { let body = r.b62(30); let sum = base62_number(crc32(body.as_bytes()), 6); t("ghp_", body + &sum) }),
    ("github stateless", |r| { let id = r.digits(6); t("ghs_", format!("{id}_{}", jwt(r))) }),
    ("github fine", |r| { let head = r.b62(22); t("github_pat_", format!("{head}_{}", r.b62(59))) }),
    ("brainstem pass", |r| t("bsp_", r.hex(64))),
    ("gitlab", |r| { let head = r.one(&["glpat-", "gldt-", "glrt-", "glft-", "glsoat-", "glffct-", "glwt-"]); t(head, r.b64u(20)) }),
    ("gitlab long", |r| match r.below(3) { 0 => t("glptt-", r.hex(40)), 1 => t("gloas-", r.hex(64)), _ => t("glagent-", r.b64u(50)) }),
    ("gitlab routable", |r| { let payload = r.b64u(38); let head = format!("{payload}.01.12"); let sum = r.b36(7); t("glpat-", format!("{head}{sum}")) }),
    ("gitlab runner", |r| t("GR1348941", r.b64u(20))),
    ("npm", |r| t("npm_", r.b62(36))),
    ("pypi", |r| t("pypi-AgEIcHlwaS5vcmc", r.b64u(150))),
    ("crates", |r| t("cio", r.b62(32))),
    ("rubygems", |r| t("rubygems_", r.hex(48))),
    ("clojars", |r| t("CLOJARS_", r.hex(60))),
    ("nuget", |r| t("oy2", r.lower32(43))),
    ("docker", |r| if r.below(2) == 0 { t("dckr_pat_", r.b64u(27)) } else { t("dckr_oat_", r.b64u(32)) }),
    ("swarm", |r| { let head = r.b36(50); t("SWMTKN-1-", format!("{head}-{}", r.b36(25))) }),
    ("swarm unlock", |r| t("SWMKEY-1-", r.b64(43))),
    ("jfrog", |r| t("AKCp", r.b62(69))),
    ("jfrog reference", |r| t("cmVmdGtu", r.b62(56))),
    ("atlassian", |r| { let body = r.b64u(180); let sum = r.upper_hex(8); t("ATATT3xFfGF0", format!("{body}={sum}")) }),
    ("bitbucket", |r| { let body = r.b62(24); t("ATBB", body + &r.upper_hex(8)) }),
    ("atlassian server", |r| t("BBDC-", r.b64(44))),
    ("circleci", |r| { let head = r.b62(22); t("CCIPAT_", format!("{head}_{}", r.hex(40))) }),
    ("buildkite", |r| { let head = r.one(&["bkua_", "bkct_"]); t(head, r.hex(40)) }),
    ("sonar", |r| { let head = r.one(&["squ_", "sqp_", "sqa_"]); t(head, r.hex(40)) }),
    ("sourcegraph", |r| if r.below(2) == 0 { t("sgp_", r.hex(40)) } else { let head = r.hex(16); t("sgp_", format!("{head}_{}", r.hex(40))) }),
    ("readme", |r| t("rdme_", r.b36(70))),
    ("postman", |r| { let head = r.hex(24); t("PMAK-", format!("{head}-{}", r.hex(34))) }),
    ("cloudsmith", |r| { let head = r.hex(30); t("csa_", head + &r.b62(6)) }),

    // Model providers.
    ("openai", |r| { let (head, tail) = (r.b62(20), r.b62(20)); t("sk-", format!("{head}T3BlbkFJ{tail}")) }),
    ("openai project", |r| { let (head, tail) = (r.b64u(74), r.b64u(74)); t("sk-proj-", format!("{head}T3BlbkFJ{tail}")) }),
    ("openai other", |r| { let head = r.one(&["sk-svcacct-", "sk-admin-"]); t(head, r.b64u(58)) }),
    ("anthropic", |r| { let head = r.one(&["sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-"]); t(head, r.b64u(93) + "AA") }),
    ("openrouter", |r| t("sk-or-v1-", r.hex(64))),
    ("minimax", |r| t("sk-api-", r.b64u(119))),
    ("deepseek", |r| t("sk-", r.hex(32))),
    ("groq", |r| t("gsk_", r.b62(52))),
    ("xai", |r| t("xai-", r.b62(80))),
    ("perplexity", |r| t("pplx-", r.b62(48))),
    ("cerebras", |r| t("csk-", r.b36(48))),
    ("hugging face", |r| { let head = r.one(&["hf_", "api_org_"]); t(head, r.letters(34)) }),
    ("replicate", |r| t("r8_", r.b62(37))),
    ("together", |r| t("tgp_v1_", r.b64u(43))),
    ("llamacloud", |r| t("llx-", r.b62(48))),
    ("tavily", |r| t("tvly-", r.b62(32))),
    ("nvidia", |r| t("nvapi-", r.b64u(64))),
    ("wandb", |r| t("wandb_v1_", r.b62(77))),
    ("langsmith", |r| { let (kind, head) = (r.one(&["lsv2_pt_", "lsv2_sk_"]), r.hex(32)); t(kind, format!("{head}_{}", r.hex(10))) }),
    ("pinecone", |r| { let head = r.b62(6); t("pcsk_", format!("{head}_{}", r.b62(63))) }),

    // Services.
    ("slack bot", |r| { let (a, b) = (r.digits(12), r.digits(12)); t("xoxb-", format!("{a}-{b}-{}", r.b62(24))) }),
    ("slack user", |r| { let (a, b, c) = (r.digits(11), r.digits(12), r.digits(13)); t("xoxp-", format!("{a}-{b}-{c}-{}", r.hex(32))) }),
    ("slack config", |r| t("xoxe.xoxp-1-", r.b64u(164))),
    ("slack app", |r| { let (a, b) = (r.upper36(10), r.digits(13)); t("xapp-", format!("1-A{a}-{b}-{}", r.hex(64))) }),
    ("slack webhook", |r| { let (a, b) = (r.upper36(9), r.upper36(10)); let tail = r.b62(24); t(&["https://hooks.slack", ".com/services/"].concat(), format!("T{a}/B{b}/{tail}")) }),
    ("stripe", |r| { let head = r.one(&["sk_live_", "rk_live_", "sk_test_", "rk_test_"]); let len = r.one(&[&24usize, &99]); t(head, r.b62(*len)) }),
    ("webhook secret", |r| t("whsec_", r.b62(32))),
    ("square", |r| t("sq0atp-", r.b64u(22))),
    ("square secret", |r| t("sq0csp-", r.b64u(43))),
    ("square access", |r| t("EAAA", r.b64u(60))),
    ("shopify", |r| { let head = r.one(&["shpat_", "shpca_", "shppa_", "shpss_"]); t(head, r.hex(32)) }),
    ("braintree", |r| { let head = r.b36(16); t("access_token$production$", format!("{head}${}", r.hex(32))) }),
    ("sendgrid", |r| { let head = r.b64u(22); t("SG.", format!("{head}.{}", r.b64u(43))) }),
    ("mailgun", |r| t("key-", r.hex(32))),
    ("mailgun private", |r| { let (a, b) = (r.hex(8), r.hex(8)); w(r.hex(32), |k| format!("MAILGUN_API_KEY={k}-{a}-{b}")) }),
    ("mailchimp", |r| { let body = r.hex(32); let dc = r.between(1, 21); t("", format!("{body}-us{dc}")) }),
    ("brevo", |r| { let body = r.hex(64); t("xkeysib-", format!("{body}-{}", r.b62(16))) }),
    ("mailersend", |r| t("mlsn.", r.hex(64))),
    ("twilio", |r| t("SK", r.hex(32))),
    ("twilio auth", |r| w(r.hex(32), |b| format!("TWILIO_AUTH_TOKEN={b}"))),
    ("telegram", |r| { let number = r.digits(10); t(&format!("{number}:"), "AA".to_owned() + &r.b64u(33)) }),
    ("discord", |r| { let number = base64url(r.digits(18).as_bytes()); let stamp = r.b64u(6); t(&format!("{number}.{stamp}."), r.b64u(38)) }),
    ("discord webhook", |r| { let number = r.digits(19); t(&format!("https://discord.com/api/webhooks/{number}/"), r.b64u(68)) }),
    ("teams webhook", |r| { let (a, b, c) = (r.uuid(), r.uuid(), r.uuid()); w(r.hex(32), |k| format!("https://notes.webhook.office.com/webhookb2/{a}@{b}/IncomingWebhook/{k}/{c}")) }),
    ("jwt", |r| t("", jwt(r))),
    ("linear", |r| if r.below(2) == 0 { t("lin_api_", r.b62(40)) } else { t("lin_oauth_", r.hex(64)) }),
    ("notion", |r| { let digits = r.digits(11); t("ntn_", digits + &r.b62(35)) }),
    ("notion old", |r| t("secret_", r.b62(43))),
    ("airtable", |r| { let head = r.b62(14); t("pat", format!("{head}.{}", r.hex(64))) }),
    ("figma", |r| t("figd_", r.b64u(40))),
    ("shippo", |r| t("shippo_live_", r.hex(40))),
    ("easypost", |r| { let head = r.one(&["EZAK", "EZTK"]); t(head, r.b62(54)) }),
    ("typeform", |r| t("tfp_", r.b62(59))),
    ("duffel", |r| t("duffel_live_", r.b64u(43))),
    ("dropbox", |r| t("sl.", r.b64u(136))),
    ("facebook", |r| { let len = r.between(90, 200); t("EAA", r.b62(len)) }),
    ("instagram", |r| t("IGQVJ", r.b62(140))),
    ("twitter", |r| { let (a, b) = (r.b62(46), r.b62(36)); t(&"A".repeat(22), format!("{a}%3D{b}")) }),
    ("salesforce", |r| { let head = r.b62(12); t("00D", format!("{head}!{}", r.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._", 96))) }),
    ("salesforce consumer", |r| t("3MVG", r.b62(81))),
    ("contentful", |r| t("CFPAT-", r.b64u(43))),
    ("plaid", |r| { let head = r.one(&["access-sandbox-", "access-development-", "access-production-"]); t(head, r.uuid()) }),
    ("okta", |r| w("00".to_owned() + &r.b64u(40), |b| format!("okta api token: {b}"))),

    // Operations.
    ("vault", |r| { let head = r.one(&["hvs.", "hvb.", "hvr."]); let len = r.one(&[&24usize, &95]); t(head, r.b62(*len)) }),
    ("vault legacy", |r| w(r.b62(24), |b| format!("export VAULT_TOKEN=s.{b}"))),
    ("terraform", |r| { let head = r.b62(14); t("", format!("{head}.atlasv1.{}", r.b64u(67))) }),
    ("databricks", |r| t("dapi", r.hex(32))),
    ("grafana", |r| { let body = r.b62(32); t("glsa_", format!("{body}_{}", r.hex(8))) }),
    ("grafana cloud", |r| { let key = r.b62(24); t("glc_", base64(format!("{{\"o\":\"12345\",\"n\":\"ci\",\"k\":\"{key}\",\"m\":{{\"r\":\"eu\"}}}}").as_bytes())) }),
    ("grafana old", |r| { let key = r.b62(32); t("", base64(format!("{{\"k\":\"{key}\",\"n\":\"ci\",\"id\":1}}").as_bytes())) }),
    ("sentry user", |r| t("sntryu_", r.hex(64))),
    ("sentry org", |r| { let iat = r.digits(10); let body = base64(format!("{{\"iat\":{iat}.1,\"url\":\"https://sentry.io\",\"region_url\":\"https://us.sentry.io\",\"org\":\"notes\"}}").as_bytes()); t("sntrys_", format!("{body}_{}", r.b64(43))) }),
    ("new relic", |r| t("NRAK-", r.upper36(27))),
    ("new relic insert", |r| t("NRII-", r.b64u(32))),
    ("new relic browser", |r| { let head = r.one(&["NRJS-", "NRBR-"]); t(head, r.hex(19)) }),
    ("new relic license", |r| { let body = r.hex(36); t("", format!("{body}NRAL")) }),
    ("dynatrace", |r| { let head = r.upper36(24); t("dt0c01.", format!("{head}.{}", r.upper36(64))) }),
    ("elastic", |r| t("essu_", r.b64(88))),
    ("posthog", |r| t("phx_", r.b62(45))),
    ("doppler", |r| { let head = r.one(&["dp.pt.", "dp.ct.", "dp.sa."]); t(head, r.b62(43)) }),
    ("onepassword", |r| { let bytes = r.bytes(300); t("ops_", base64(&[b"{\"signInAddress\":\"x\",", &bytes[..]].concat())) }),
    ("onepassword key", |r| { let parts = [6, 6, 5, 5, 5, 5].map(|len| r.from(b"ABCDEFGHJKLMNPQRSTVWXYZ23456789", len)); t("A3-", parts.join("-")) }),
    ("pulumi", |r| t("pul-", r.hex(40))),
    ("prefect", |r| t("pnu_", r.b62(36))),
    ("tailscale", |r| { let head = r.b62(12); t("tskey-auth-", format!("{head}-{}", r.b62(32))) }),
    ("datadog", |r| w(r.hex(32), |b| format!("DD_API_KEY={b}"))),
    ("datadog app", |r| w(r.hex(40), |b| format!("datadog application key: {b}"))),

    // Surroundings.
    ("postgres url", |r| w(human(r).replace(['#', '?', '@', '%', '!'], "x"), |b| format!("postgres://billing:{b}@db.internal:5432/ledger"))),
    ("mongo url", |r| w(r.b62(18), |b| format!("mongodb+srv://svc:{b}@cluster0.ab1cd.mongodb.net/app"))),
    ("redis url", |r| w(r.b62(20), |b| format!("redis://:{b}@cache.internal:6379/0"))),
    ("https url", |r| w(r.b62(24), |b| format!("https://robot:{b}@git.internal/team/repo.git"))),
    ("amqp url", |r| w(human(r).replace(['#', '?', '@', '%', '!'], "y"), |b| format!("amqp://worker:{b}@mq.internal/vhost"))),
    ("ado string", |r| w(human(r), |b| format!("Server=db1;Database=ledger;User Id=svc;Password={b};Encrypt=true"))),
    ("odbc string", |r| w(human(r), |b| format!("Driver={{SQL}};Server=db2;Uid=svc;Pwd={b};"))),
    ("jdbc string", |r| w(r.b62(16), |b| format!("jdbc:mysql://db3/ledger?user=svc&password={b}"))),
    ("bearer", |r| w(random(r), |b| format!("curl -H \"Authorization: Bearer {b}\" https://api.internal/v1/jobs"))),
    ("bearer header", |r| w(random(r), |b| format!("Authorization: Bearer {b}"))),
    ("basic", |r| { let pair = format!("svc:{}", human(r)); w(base64(pair.as_bytes()), |b| format!("Authorization: Basic {b}")) }),
    ("api key header", |r| w(random(r), |b| format!("X-API-Key: {b}"))),
    ("private token header", |r| w(random(r), |b| format!("curl --header \"PRIVATE-TOKEN: {b}\" https://git.internal/api/v4/projects"))),
    ("curl user", |r| w(human(r), |b| format!("curl -u 'admin:{b}' https://nexus.internal/repository/x"))),
    ("password flag", |r| w(human(r), |b| format!("psqlx --host db1 --password '{b}' --file dump.sql"))),
    ("token flag", |r| w(random(r), |b| format!("deployctl login --token {b} --region eu"))),
    ("sshpass", |r| w(human(r), |b| format!("sshpass -p '{b}' ssh root@10.0.0.4"))),
    ("netrc", |r| w(human(r), |b| format!("machine git.internal login robot password {b}"))),
    ("netrc lines", |r| w(human(r), |b| format!("machine git.internal\n  login robot\n  password {b}\n"))),
    ("pgpass", |r| w(r.b62(16), |b| format!("db.internal:5432:ledger:svc:{b}"))),
    ("docker config", |r| { let pair = format!("robot:{}", human(r)); w(base64(pair.as_bytes()), |b| format!("{{\"auths\": {{\"registry.internal\": {{\"auth\": \"{b}\"}}}}}}")) }),
    ("kubeconfig", |r| { let inner = pem(r, &["EC", "PRIVATE", "KEY"].join(" "), "MHcC").text; w(base64(inner.as_bytes()), |b| format!("users:\n- name: admin\n  user:\n    client-key-data: {b}\n")) }),
    ("kubernetes secret", |r| { let plain = human(r); w(base64(plain.as_bytes()), |b| format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  value: {b}\n")) }),
    ("kubernetes string", |r| w(human(r), |b| format!("kind: Secret\nmetadata:\n  name: db\nstringData:\n  value: {b}\n"))),
    ("npmrc", |r| w(r.uuid(), |b| format!("//registry.internal/:_authToken={b}"))),
    ("npmrc auth", |r| w(base64(human(r).as_bytes()), |b| format!("_auth={b}"))),
    ("sql", |r| w(human(r), |b| format!("CREATE USER svc IDENTIFIED BY '{b}';"))),
    ("sql role", |r| w(human(r), |b| format!("ALTER ROLE svc WITH PASSWORD '{b}';"))),
    ("gitlab cookie", |r| w(r.hex(32), |b| format!("Cookie: _gitlab_session={b}"))),
    ("session cookie", |r| w(r.b62(32), |b| format!("Set-Cookie: sessionid={b}; HttpOnly"))),
    ("totp", |r| w(r.b32(32), |b| format!("otpauth://totp/notes:me?secret={b}&issuer=notes"))),

    // Assignments and sentences.
    ("env token", |r| w(random(r), |b| format!("SERVICE_TOKEN={b}"))),
    ("env secret", |r| w(random(r), |b| format!("export CLIENT_SECRET=\"{b}\""))),
    ("yaml password", |r| w(human(r), |b| format!("database:\n  user: svc\n  password: {b}\n"))),
    ("json password", |r| w(human(r), |b| format!("{{\"user\": \"svc\", \"password\": \"{b}\"}}"))),
    ("json api key", |r| w(random(r), |b| format!("{{\"apiKey\": \"{b}\", \"region\": \"eu\"}}"))),
    ("code secret", |r| w(random(r), |b| format!("let secret: &str = \"{b}\";"))),
    ("code token", |r| w(random(r), |b| format!("const authToken = '{b}';"))),
    ("toml key", |r| w(random(r), |b| format!("[service]\napi_key = \"{b}\"\n"))),
    ("ini pass", |r| w(human(r), |b| format!("[mail]\nDB_PASS={b}\n"))),
    ("properties", |r| w(human(r), |b| format!("spring.datasource.password={b}"))),
    ("query", |r| w(r.b62(32), |b| format!("https://api.internal/v1/jobs?access_token={b}&page=2"))),
    ("secret key base", |r| w(r.hex(128), |b| format!("SECRET_KEY_BASE={b}"))),
    ("spoken password", |r| { let p = human(r).replace('-', "!"); w(p, |b| format!("The admin password is {b} until Friday.")) }),
    ("spoken token", |r| w(r.b62(28), |b| format!("For staging the token is `{b}`, ask before you use it."))),
    ("bold password", |r| w(human(r), |b| format!("**Password**: {b}"))),
    ("table", |r| { let p = format!("{}!4", r.b62(12)); w(p, |b| format!("| field | value |\n| --- | --- |\n| user | svc |\n| password | {b} |")) }),
    ("pw", |r| { let p = format!("{}!4aB", r.b62(8)); w(p, |b| format!("box login: root, pw: {b}")) }),
    ("php array", |r| w(human(r), |b| format!("'password' => '{b}',"))),
    ("python dict", |r| w(random(r), |b| format!("config[\"secret\"] = \"{b}\""))),

    // Merges.
    ("git conflict", |r| { let side = r.one(&["HEAD", "ours", "main"]); w(String::new(), |_| format!("<<<<<<< {side}\nport = 1\n=======\nport = 2\n>>>>>>> topic/ports")) }),
    ("diff3 conflict", |r| { let id = r.hex(7); w(String::new(), |_| format!("<<<<<<< mine\na\n||||||| {id}\nb\n=======\nc\n>>>>>>> theirs")) }),
    ("jj conflict", |r| { let n = r.between(1, 3); w(String::new(), |_| format!("<<<<<<< conflict {n} of 3\n%%%%%%% diff from: x\n-a\n+b\n+++++++ y\nc\n>>>>>>> conflict {n} of 3 ends")) }),
];
