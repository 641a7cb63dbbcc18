//! Texts that look like secrets and are harmless: hashes, lock files, placeholders, code, prose about secrets.

use super::rng::{Rng, base64, base64url};

pub(crate) type Class = (&'static str, fn(&mut Rng) -> String);

fn lines(r: &mut Rng, count: usize, line: fn(&mut Rng) -> String) -> String {
    (0..count).map(|_| line(r)).collect::<Vec<_>>().join("\n")
}

fn some_of(r: &mut Rng, count: usize, from: &[&str]) -> String {
    (0..count).map(|_| r.one(from).to_owned()).collect::<Vec<_>>().join("\n")
}

fn name(r: &mut Rng) -> &'static str {
    r.one(&[
        "serde",
        "tokio",
        "regex",
        "hyper",
        "bytes",
        "rustix",
        "libc",
        "anyhow",
        "clap",
        "uuid",
        "rand-core",
        "proc-macro2",
    ])
}

fn version(r: &mut Rng) -> String {
    format!("{}.{}.{}", r.below(9), r.below(40), r.below(20))
}

/// Every class. The names decide the half, together with a number.
#[rustfmt::skip]
pub(crate) const CLASSES: &[Class] = &[
    ("prose about passwords", |r| some_of(r, 5, &[
        "The password must be at least twelve characters long.", "Users forget their password about once a year.",
        "A password reset mail is sent within a minute.", "The password is stored as an argon2id hash, never in clear.",
        "The token is RS256-signed and expires after 15 minutes.", "The password is case-sensitive and may not be reused.",
        "Ask Carol for the password; it is in the team's keychain.", "The secret is to keep functions small.",
        "Password rules: 8-64 characters, no composition rules.", "The token bucket refills at 10 per second.",
        "An API key is required for the /v2/search endpoint.", "The passphrase protects the key at rest.",
        "Rotate the token every 90 days; see runbook section 4.2.", "The secret is base64-encoded by the controller.",
        "password: required, string, 8 to 128 characters", "The login page asks for username, password and a one-time code.",
        "The token was revoked at 2026-03-04T10:20:30Z.", "The credential helper caches for 900 seconds.",
        "Secret scanning found nothing in release 2.14.0.", "The password field is called `user_password_v2` in the form.",
        "Two tokens: one for reading, one for writing.", "the access token is OAuth2-based, the refresh token is opaque",
        "pwd is /srv/build/project and the job runs there", "The secret is mounted at /run/secrets/db-2 by the runtime.",
        "Our password is the same as the one in vault://kv/prod/db2.", "Their token is valid for 3600s.",
    ])),
    ("words with sk-", |r| some_of(r, 6, &[
        "task-list-items-with-checkboxes-and-nested-lists-are-rendered", "risk-assessment-for-the-second-quarter-of-2026-final",
        "disk-usage-by-folder-and-by-extension", "desk-research", "the flask-sqlalchemy-migration-helper-extension-package",
        "class=\"task-list-item-checkbox-enabled\"", "ask-me-anything", "mask-image-linear-gradient-transparent-black",
        "sk-button-primary-large-with-icon", "a risk-free, task-oriented plan", "sk-SK locale, sk-toggleable__content",
        "task-0123456789abcdef", "whisk-broom", "kiosk-mode-for-the-lobby-screen",
    ])),
    ("git log", |r| lines(r, 6, |r| format!("commit {}\nAuthor: Dana <dana@work.org>\n\n    {}\n", r.hex(40), r.one(&["cache: evict by age", "mail: count bounces", "token: parse the header once", "fix the secret manager's path"])))),
    ("short hashes", |r| lines(r, 8, |r| format!("{} {} ({} weeks ago)", r.hex(7), r.one(&["tidy up", "password page: new layout", "drop the token cache"]), r.below(20)))),
    ("digests", |r| lines(r, 5, |r| match r.below(5) { 0 => format!("image: registry.internal/app@sha256:{}", r.hex(64)), 1 => format!("{}  dist.tar.gz", r.hex(64)), 2 => format!("MD5 ({}) = {}", name(r), r.hex(32)), 3 => format!("checksum: sha512:{}", r.hex(128)), _ => format!("ETag: \"{}\"", r.hex(32)) })),
    ("uuids", |r| lines(r, 6, |r| format!("{}: {}", r.one(&["request_id", "trace", "session", "tenant", "job id", "device"]), r.uuid()))),
    ("cargo lock", |r| lines(r, 6, |r| format!("[[package]]\nname = \"{}\"\nversion = \"{}\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{}\"\n", name(r), version(r), r.hex(64)))),
    ("package lock", |r| lines(r, 5, |r| format!("    \"node_modules/{0}\": {{\n      \"version\": \"{1}\",\n      \"resolved\": \"https://registry.npmjs.org/{0}/-/{0}-{1}.tgz\",\n      \"integrity\": \"sha512-{2}==\"\n    }},", name(r), version(r), r.b64(86)))),
    ("token packages lock", |r| lines(r, 5, |r| format!("\"{}@^{}\":\n  version \"{}\"\n  resolved \"https://registry.yarnpkg.com/x/-/x.tgz#{}\"\n  integrity sha512-{}==", r.one(&["js-tokens", "passwd-user", "csrf-tokens", "secret-handshake"]), version(r), version(r), r.hex(40), r.b64(86)))),
    ("go sum", |r| lines(r, 6, |r| format!("golang.org/x/{} v0.{}.0 h1:{}=", r.one(&["crypto", "oauth2", "term"]), r.below(40), r.b64(43)))),
    ("images", |r| { let len = r.between(400, 3000); format!("![logo](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{}AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA{}=)", r.b64(len), r.b64(200)) }),
    ("fonts", |r| format!("@font-face {{ src: url(data:font/woff2;base64,d09GMgABAAAAA{}/EAAA{}) }}", r.b64(900), r.b64(700))),
    ("wrapped base64", |r| lines(r, 12, |r| r.b64(76))),
    ("public keys", |r| match r.below(4) {
        0 => format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} dana@laptop", r.b64(43)),
        1 => format!("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{} build", r.b64(500)),
        2 => format!("-----BEGIN PUBLIC KEY-----\n{}\n{}\n-----END PUBLIC KEY-----", r.b64(64), r.b64(64)),
        _ => format!("-----BEGIN CERTIFICATE-----\nMIID{}\n{}\n{}\n-----END CERTIFICATE-----", r.b64(60), r.b64(64), r.b64(64)),
    }),
    ("recipients", |r| format!("age1{}\nminisign RW{}\nfingerprint SHA256:{}", r.from(b"qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58), r.b64(54), r.b64(43))),
    ("placeholders yaml", |r| format!("database:\n  host: db1\n  password: {}\n  token: {}\n", placeholder(r), placeholder(r))),
    ("placeholders env", |r| format!("DB_PASSWORD={}\nAPI_TOKEN={}\nCLIENT_SECRET={}\n", placeholder(r), placeholder(r), placeholder(r))),
    ("placeholders json", |r| format!("{{\n  \"password\": \"{}\",\n  \"apiKey\": \"{}\"\n}}", placeholder(r), placeholder(r))),
    ("placeholder tokens", |r| lines(r, 4, |r| { let x = r.one(&["x", "X", "0", "*", "•"]); format!("{}{}", r.one(&["ghp_", "sk-", "AKIA", "xoxb-", "glpat-", "hf_", "sk_live_", "AIza"]), x.repeat(36)) })),
    ("written placeholders", |r| some_of(r, 4, &[
        "export GITHUB_TOKEN=ghp_your_personal_access_token_here", "OPENAI_API_KEY=sk-your-key-here", "ANTHROPIC_API_KEY=sk-ant-...", "SLACK_BOT_TOKEN=xoxb-your-bot-token",
        "stripe listen --api-key sk_test_yourkeygoeshere", "curl -H \"Authorization: Bearer <token>\" https://api.internal", "Authorization: Bearer $TOKEN", "Authorization: Bearer ${ACCESS_TOKEN}",
        "Authorization: Bearer YOUR_ACCESS_TOKEN_HERE", "curl -u user:password https://api.internal", "curl -u \"$USER:$PASS\" https://api.internal", "X-API-Key: <your-api-key>",
        "aws_secret_access_key = <your secret access key>", "postgres://user:password@host:5432/db", "postgres://USER:PASS@HOST/DB", "https://x-access-token:${TOKEN}@github.com/o/r.git",
        "mysql -u root -p", "--password-stdin", "--token \"$(cat token.txt)\"", "password=<redacted>", "token=[FILTERED]", "_authToken=${NPM_TOKEN}", "machine HOST login USER password PASS",
        "AWS_ACCESS_KEY_ID=AKIA................", "the prefix AKIA means a long-lived key", "tokens start with ghp_ or github_pat_", "Basic authentication is off by default",
    ])),
    ("local defaults", |r| some_of(r, 4, &[
        "postgres://postgres:postgres@localhost:5432/test", "amqp://guest:guest@localhost:5672/", "redis://localhost:6379/0", "mysql://root:root@127.0.0.1/test",
        "mongodb://localhost:27017/app", "postgresql:///mydb?host=/var/run/postgresql", "http://localhost:3000/auth/callback?code=abc", "sqlite:///data/app.db", "http://admin:admin@localhost:9200",
        "postgres://postgres:password@localhost/dev", "jdbc:postgresql://localhost:5432/app?user=app",
    ])),
    ("rust code", |r| some_of(r, 7, &[
        "let token = self.lexer.next_token()?;", "pub struct Token { kind: TokenKind, span: Range<usize> }", "let password = prompt_password(\"Password: \")?;",
        "assert_eq!(token, Token::Identifier(\"x1\"));", "secret: SecretString,", "fn token(&self) -> Option<&str> { self.token.as_deref() }", "let api_key = std::env::var(\"SERVICE_API_KEY\")?;",
        "const TOKEN_LEN: usize = 32;", "token: Token![=>],", "let secret = Secret::from_bytes(&bytes[..32])?;", "password_hash: Argon2::default().hash_password(pw, &salt)?,",
        "let cancellation_token = CancellationToken::new();", "pub token: Cow<'static, str>,", "if token == Token::Eof { break }", "let next_page_token = \"CAESBwgBEgNhYmM1\";",
        "secret = config.secret_store.fetch(&SecretName::parse(\"db-main-2\")?)?;", "let token: String = generate_token_v2(&mut rng, 32);", "passwd: *const libc::passwd,", "let pwd = env::current_dir()?;",
        "tokens.push(Token { kind: Kind::Number, text: \"0x1f2e3d4c\" });", "#[token(\"=>\")] FatArrow,", "let auth_token = parse_auth_token_from_header_v2(&req)?;",
    ])),
    ("python code", |r| some_of(r, 7, &[
        "token = os.environ[\"SERVICE_TOKEN\"]", "password = getpass.getpass(\"Password: \")", "tokens = tokenizer.encode(text, add_special_tokens=False)", "self.token = token or settings.SERVICE_TOKEN",
        "parser.add_argument(\"--token\", help=\"access token\", default=None)", "secret = hashlib.sha256(seed.encode()).hexdigest()", "PASSWORD_HASHERS = ['django.contrib.auth.hashers.Argon2PasswordHasher']",
        "tok.pad_token = tok.eos_token", "tokenizer = AutoTokenizer.from_pretrained(\"bert-base-uncased-v2\")", "api_key=config[\"api_key\"]", "token = secrets.token_urlsafe(32)", "def check(password: str, digest: bytes) -> bool:",
        "token = request.headers.get(\"X-Auth-Token\")", "SECRET_KEY = env(\"SECRET_KEY\")", "eos_token: \"<|endoftext|>\"", "unk_token = \"[UNK]\"", "password_validators = [validators.MinimumLength(12)]",
        "access_token = response.json()[\"access_token\"]", "mask_token_id = 50264", "csrf_token = \"a1b2c3d4e5f60718\"",
    ])),
    ("script code", |r| some_of(r, 7, &[
        "const token = await getToken({ req, secret: process.env.AUTH_SECRET });", "password: z.string().min(8).max(128),", "apiKey: process.env.SERVICE_API_KEY,", "<input type=\"password\" name=\"password\" autocomplete=\"current-password\">",
        "const { token } = useContext(AuthContext);", "headers: { Authorization: `Bearer ${token}` },", "token: tokenFromCookie(req.cookies),", "secret: fs.readFileSync('/run/secrets/session1', 'utf8'),",
        "export type Token = { type: TokenType; value: string };", "if (password !== passwordConfirmation) throw new MismatchError();", "const secret = new TextEncoder().encode(config.secret);", "var passwordInput = document.getElementById('password-input-2');",
        "tokenEndpoint: 'https://login.internal/oauth2/v2.0/token',", "token_type: 'Bearer', expires_in: 3600,", "accessToken: session?.accessToken ?? null,", "this.passwordStrength = zxcvbn(this.form.password).score;",
    ])),
    ("go and java", |r| some_of(r, 6, &[
        "token, err := jwt.ParseWithClaims(raw, &Claims{}, keyFunc)", "Password string `json:\"password\" validate:\"required,min=8\"`", "private final TokenService tokenService;", "String password = System.getenv(\"DB_PASSWORD\");",
        "secretKeySpec = new SecretKeySpec(bytes, \"HmacSHA256\");", "cfg.Token = viper.GetString(\"service.token\")", "@Value(\"${spring.datasource.password}\") String password;", "ctx = context.WithValue(ctx, tokenKey{}, tok)",
        "passwordEncoder = new BCryptPasswordEncoder(12);", "type SecretRef struct { Name string; Key string }", "token: TokenStream2,", "credentials = CredentialsProviderChain.getInstance();",
    ])),
    ("workflows", |r| some_of(r, 6, &[
        "      GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}", "          token: ${{ secrets.CODECOV_TOKEN }}", "          password: ${{ secrets.REGISTRY_PASSWORD }}", "    secrets: inherit", "      id-token: write",
        "        uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683", "        with: { api-key: \"${{ secrets.API_KEY }}\" }", "      - run: echo \"::add-mask::$TOKEN\"", "  variables: { DB_PASSWORD: $CI_DB_PASSWORD }",
        "      AWS_ROLE: arn:aws:iam::123456789012:role/deploy-2", "          secret: ${{ vars.SECRET_NAME_V2 }}", "    environment: production-eu-2",
    ])),
    ("kubernetes", |r| some_of(r, 3, &[
        "kind: Deployment\nspec:\n  env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: db-credentials-v2\n        key: password", "kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq",
        "kind: Secret\nmetadata:\n  name: tls\ndata:\n  password: {{ .Values.password | b64enc }}\n", "secretName: ingress-tls-2024\nserviceAccountToken:\n  path: vault-token-2\n  expirationSeconds: 7200", "imagePullSecrets:\n- name: regcred-eu-1\ntokenRequests:\n- audience: vault.internal",
        "kind: SecretProviderClass\nspec:\n  provider: azure\n  parameters:\n    keyvaultName: notes-prod-2", "kind: ExternalSecret\nspec:\n  secretStoreRef:\n    name: vault-backend-2\n  target:\n    name: db-main-1",
        "kind: Secret\nstringData:\n  password: changeme\n",
    ])),
    ("badges", |r| lines(r, 3, |r| format!("[![codecov](https://codecov.io/gh/o/{}/branch/main/graph/badge.svg?token={})](https://codecov.io/gh/o/r)", name(r), r.upper36(10)))),
    ("urls", |r| lines(r, 5, |r| match r.below(6) { 0 => format!("https://github.com/o/r/commit/{}", r.hex(40)), 1 => format!("https://docs.internal/d/{}/edit#heading=h.{}", r.b64u(44), r.b36(12)), 2 => format!("https://www.video.example/watch?v={}", r.b64u(11)), 3 => format!("https://cdn.internal/assets/app-{}.js?v={}", r.hex(8), r.hex(16)), 4 => format!("https://login.internal/authorize?response_type=code&client_id={}&state={}&nonce={}", r.uuid(), r.b64u(22), r.b64u(22)), _ => format!("https://s3.internal/b/{}/{}.tar.zst", r.uuid(), r.hex(32)) })),
    ("public ids", |r| lines(r, 5, |r| match r.below(8) { 0 => format!("pk_live_{}", r.b62(24)), 1 => format!("phc_{}", r.b62(43)), 2 => format!("account AC{}", r.hex(32)), 3 => format!("{}-{}.apps.googleusercontent.com", r.digits(12), r.b36(32)), 4 => format!("user AIDA{} role AROA{}", r.b32(17), r.b32(17)), 5 => format!("https://{}@o{}.ingest.sentry.io/{}", r.hex(32), r.digits(6), r.digits(7)), 6 => format!("client id {}", r.uuid()), _ => format!("tracking G-{} UA-{}-1", r.upper36(10), r.digits(8)) })),
    ("logs", |r| lines(r, 8, |r| format!("2026-0{}-1{}T0{}:11:{}Z {} trace={} span={} user={} {}", r.between(1, 9), r.below(10), r.below(10), r.digits(2), r.one(&["INFO", "WARN", "DEBUG"]), r.hex(32), r.hex(16), r.digits(6), r.one(&["token refreshed in 12ms", "password check took 80ms", "secret version=3 loaded", "tokens_used=1834 max_tokens=4096", "auth ok method=password", "token cache: hit=1821 miss=17"])))),
    ("model usage", |r| lines(r, 5, |r| format!("model={} prompt_tokens={} completion_tokens={} total_tokens={}", r.one(&["gpt-4o-2024-08-06", "claude-sonnet-4-5-20250929", "llama-3.1-70b-instruct", "text-embedding-3-large"]), r.digits(4), r.digits(3), r.digits(4)))),
    ("tokenizers", |r| some_of(r, 5, &["tokenizer: cl100k_base", "token: o200k_base", "\"token\": \"<|im_start|>\"", "token ids: 15339 1917 0 220 16", "special token: [MASK]", "pad_token: \"<pad>\"", "token = \"Ġhello\"", "bos_token=<s> eos_token=</s>", "token limit: 128k-preview", "\"tokenizer_class\": \"PreTrainedTokenizerFast\"", "token: sentencepiece_bpe_v2"])),
    ("schemas", |r| some_of(r, 5, &["\"password\": {\"type\": \"string\", \"format\": \"password\", \"minLength\": 8}", "\"token\": \"string\"", "password: String!", "token VARCHAR(255) NOT NULL", "`password` varchar(72) COLLATE utf8mb4_unicode_ci DEFAULT NULL,", "\"secret\": true", "secret_id UUID REFERENCES secrets(id)", "optional bytes token = 3;", "api_key CHAR(64) UNIQUE", "password_digest TEXT", "token_expires_at TIMESTAMPTZ", "- name: token\n  in: header\n  required: true"])),
    ("translations", |r| some_of(r, 5, &["\"password\": \"Mot de passe\",", "\"password\": \"Passwort\",", "\"token\": \"Zugriffstoken\",", "\"forgotPassword\": \"Passwort vergessen?\",", "password = Contraseña", "\"secret\": \"Geheimnis\",", "password=Wachtwoord", "\"passwordHint\": \"Mindestens 12 Zeichen\",", "token: Jeton d'accès", "\"password\": \"Lösenord\",", "\"passphrase\": \"Kennwortsatz-Eingabe\""])),
    ("tables", |r| some_of(r, 5, &["| token | string | the token to use |", "| password | required | at least 8 characters |", "| secret | Secret | reference to a Kubernetes secret |", "| `api_key` | `str` | default: `None` |", "| --password | PASSWORD_FILE | file with the password |", "| token_ttl | 3600 | seconds |", "| password | optional | since 2.1.0 |", "| access key | see IAM | one per user |", "| token | Base64Url | RFC4648 |"])),
    ("armour without a key", |r| some_of(r, 3, &["A PEM file starts with `-----BEGIN PRIVATE KEY-----` and ends with the matching line.", "grep -l 'BEGIN RSA PRIVATE KEY' *", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----\n<your key>\n-----END OPENSSH PRIVATE KEY-----", "the header PRIVATE KEY is required; ENCRYPTED PRIVATE KEY is accepted", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA...\n-----END RSA PRIVATE KEY-----"])),
    ("cut or unsigned web tokens", |r| match r.below(3) { 0 => "a token starts with eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 and two dots follow".to_owned(), 1 => format!("eyJhbGciOiJub25lIn0.{}.", base64url(b"{\"sub\":\"1\",\"name\":\"x\"}")), _ => "eyJhbGciOi...snip...".to_owned() }),
    ("headings and quotes", |r| some_of(r, 4, &["Passwords\n=========\n\nText.", "Setup\n=======\n\nMore text.", ">>>>>>> so he wrote\n>>>>>> and she answered", "-------\nnotes\n-------", "  <<<<<<< HEAD\n  ours\n  =======\n  theirs\n  >>>>>>> topic", "a |||||||| b", "+++++++ added"])),
    ("symbols", |r| lines(r, 4, |r| match r.below(5) { 0 => format!("_ZN4core3fmt9Formatter9write_fmt17h{}E", r.hex(16)), 1 => format!("0x{} transferred to 0x{}", r.hex(40), r.hex(40)), 2 => format!("bafy{}", r.lower32(55)), 3 => format!("{}:\t{} {} {}  ................", r.hex(8), r.hex(4), r.hex(4), r.hex(4)), _ => format!("k8s pod api-{}-{}", r.hex(10), r.b36(5)) })),
    ("where it lives", |r| some_of(r, 4, &["The deploy token lives in 1Password under ci/deploy-2.", "token: op://infra/deploy-2/credential", "password: vault:secret/data/db2#password", "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-Ab12Cd", "api_key: keychain://brainstem/service-2", "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  66386439653236336462626566653063336164663966303231363934653561363964363833313662", "token: ENC[AES256_GCM,data:Tr7oc19nc6t1m9OrUeo=,iv:1vzlPZLfy6wa,tag:x,type:str]", "api_key_cmd = pass show service/api-key-2", "token_file = /run/secrets/token2", "password: env:DB_PASSWORD_2", "secret: projects/12345/secrets/db-main/versions/7", "token: file:///run/secrets/token-3"])),
    ("identifiers", |r| some_of(r, 6, &["AbstractTokenProviderFactoryBean", "secret: ClusterSecretStoreReference", "token: AsyncCancellationTokenSource", "password: passwordFieldValidatorV2", "handle_password_reset_request_v2", "secretManager: GoogleSecretManagerClientV1", "token = parse_bearer_token_from_header_v3", "api_key: ApiKeyAuthenticationScheme", "secret=external-secrets-operator-2", "token=oauth2-proxy-sidecar-1", "password=keyring-backend-v2", "credentials: application_default_credentials_2"])),
    ("minified", |r| format!("!function(e,t){{var n={{token:t,secret:e}};return n.password||(n.password=t.p),n}}(a,\"{}\");var r=[{}];//# sourceMappingURL=data:application/json;base64,{}", r.hex(8), lines(r, 8, |r| r.digits(5)).replace('\n', ","), base64(r.b62(300).as_bytes()))),
    ("mixed notes", |r| format!("# Release {}\n\nThe password page ships with {} and {}. The token bucket was raised to {}/s.\n\n- commit {}\n- image sha256:{}\n- request {}\n\n`token` is optional since {}.", version(r), name(r), name(r), r.digits(3), r.hex(40), r.hex(64), r.uuid(), version(r))),
];

fn placeholder(r: &mut Rng) -> &'static str {
    r.one(&[
        "<YOUR_TOKEN>",
        "${DB_PASSWORD}",
        "$DB_PASSWORD",
        "xxxxxxxx",
        "XXXXXXXXXXXXXXXX",
        "changeme",
        "change-me-in-production",
        "your-api-key-here",
        "YOUR_API_KEY",
        "********",
        "...",
        "null",
        "\"\"",
        "{{ vault_password }}",
        "%DB_PASSWORD%",
        "<redacted>",
        "REPLACE_ME",
        "your_secret_key_1",
        "example-token-123",
        "dummy-secret-0001",
        "!ENV DB_PASSWORD",
        "placeholder1234567",
        "TODO",
        "env(DB_PASSWORD)",
        "@@PASSWORD@@",
        "test",
        "secret",
        "password",
        "insert-token-here-2",
        "not-a-real-token-1",
        "<token>",
        "#{ENV['TOKEN']}",
        "os.environ['TOKEN_2']",
        "$(cat /run/secrets/db2)",
        "`cat token.txt`",
        "SECRET_NAME_2",
        "abcdefghijklmnop",
        "1234567890123456",
    ])
}
