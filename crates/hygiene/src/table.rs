//! Every kind that is refused, one row each.
//!
//! A row has the literals that the kind always contains, and the check that decides. Most kinds are a literal followed
//! by runs of known alphabets and lengths; the others name a function. Upper bounds are left open where the literal
//! alone is rare: formats grow, and a token that became longer is still a token.

use crate::bytes::{
    B32, B32_LOWER, B36, B62, B64, B64_PAD, B64U, DIGIT, HEX, HEX_ANY, OPAQUE, Set, TextScan, UPPER36,
};
use crate::context::{
    addresses, assignment, calls, commands, files, headers, paired, spoken, tables, vendors,
};
use crate::finding::{Family, SecretKind};
use crate::hit::LiteralHit;
use crate::shapes::{clouds, keys, services, wallets};
use Family::{Cloud, Context, Forge, Model, Operations, PrivateKey, Service};
use std::ops::Range;

/// One row: a kind, the literals that call its check, and the check.
pub(crate) struct TableRule {
    pub(crate) kind: SecretKind,
    pub(crate) keys: &'static [&'static str],
    pub(crate) case: LetterCase,
    pub(crate) check: RuleCheck,
}

/// How the literals are compared. Folded ones are written in lower case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LetterCase {
    Exact,
    Folded,
}

/// The check after a literal was found.
#[derive(Clone, Copy)]
pub(crate) enum RuleCheck {
    /// The literal starts a token, and these parts follow it.
    Token(&'static [TokenPart]),
    /// The same, but the parts are so loose that placeholders would fit: the value is judged too.
    Loose(&'static [TokenPart]),
    /// A function that returns the span of the secret.
    Call(fn(&TextScan<'_>, LiteralHit) -> Option<Range<usize>>),
}

/// One piece of a token.
#[derive(Clone, Copy)]
pub(crate) enum TokenPart {
    /// These bytes.
    Literal(&'static str),
    /// Exactly so many bytes of an alphabet.
    Run(Set, usize, usize),
    /// The rest may be absent.
    Maybe(&'static [TokenPart]),
}

use TokenPart::{Literal, Maybe, Run};

/// Means "no upper bound".
pub(crate) const OPEN: usize = usize::MAX;

const fn some(set: Set, min: usize) -> TokenPart {
    Run(set, min, OPEN)
}

const fn exactly(set: Set, len: usize) -> TokenPart {
    Run(set, len, len)
}

/// What to do with a secret.
pub(crate) const ADVICE: &str = "leave the value out: put it into the keychain or an environment variable and write where it \
                      lives instead; if it was real, rotate it";

const fn rule(
    family: Family,
    id: &'static str,
    name: &'static str,
    keys: &'static [&'static str],
    case: LetterCase,
    check: RuleCheck,
) -> TableRule {
    TableRule { kind: SecretKind { id, name, family, advice: ADVICE }, keys, case, check }
}

const fn token(
    family: Family,
    id: &'static str,
    name: &'static str,
    keys: &'static [&'static str],
    parts: &'static [TokenPart],
) -> TableRule {
    rule(family, id, name, keys, LetterCase::Exact, RuleCheck::Token(parts))
}

const fn loose(
    family: Family,
    id: &'static str,
    name: &'static str,
    keys: &'static [&'static str],
    parts: &'static [TokenPart],
) -> TableRule {
    rule(family, id, name, keys, LetterCase::Exact, RuleCheck::Loose(parts))
}

const fn call(
    family: Family,
    id: &'static str,
    name: &'static str,
    keys: &'static [&'static str],
    check: fn(&TextScan<'_>, LiteralHit) -> Option<Range<usize>>,
) -> TableRule {
    rule(family, id, name, keys, LetterCase::Exact, RuleCheck::Call(check))
}

/// A kind that is found by its surroundings; the literals are compared without case.
const fn context(
    id: &'static str,
    name: &'static str,
    keys: &'static [&'static str],
    check: fn(&TextScan<'_>, LiteralHit) -> Option<Range<usize>>,
) -> TableRule {
    rule(Context, id, name, keys, LetterCase::Folded, RuleCheck::Call(check))
}

const UUID: &[TokenPart] = &[
    exactly(HEX_ANY, 8),
    Literal("-"),
    exactly(HEX_ANY, 4),
    Literal("-"),
    exactly(HEX_ANY, 4),
    Literal("-"),
    exactly(HEX_ANY, 4),
    Literal("-"),
    exactly(HEX_ANY, 12),
];

/// The base64 of two decimal digits, and the first half of a third: how a Discord bot's number starts.
macro_rules! decimal_heads {
    ($($head:literal)*) => {
        &[$(concat!($head, "A"), concat!($head, "E"), concat!($head, "I"), concat!($head, "M"), concat!($head, "Q"),
            concat!($head, "U"), concat!($head, "Y"), concat!($head, "c"), concat!($head, "g"), concat!($head, "k")),*]
    };
}

/// Words that names of secrets are made of.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "access-key",
    "accesskey",
    "private_key",
    "privatekey",
    "auth_key",
    "authkey",
    "encryption_key",
    "encryptionkey",
    "signing_key",
    "signingkey",
    "master_key",
    "masterkey",
    "account_key",
    "secret.key",
    "access.key",
    "credential",
    "pwd",
    "pass",
    "rediscli_auth",
    "_pw",
];

/// Lines of an unfinished merge. They are found by their place in the line, not by the index.
pub(crate) static MERGE: SecretKind = SecretKind {
    id: "conflict_markers",
    name: "conflict marker",
    family: Family::Merge,
    advice: "finish the merge and send the result; to quote markers on purpose, indent them by one space",
};

#[rustfmt::skip]
pub(crate) static RULES: &[TableRule] = &[
    // Private keys.
    call(PrivateKey, "openssh_private_key", "OpenSSH private key", &["OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXk"], keys::openssh_key),
    call(PrivateKey, "pgp_private_key", "PGP private key", &["PGP PRIVATE KEY BLOCK"], keys::pem_key),
    call(PrivateKey, "gcp_service_account", "Google service account key", &["private_key\""], keys::service_account),
    call(PrivateKey, "pem_private_key", "PEM private key", &["PRIVATE KEY"], keys::pem_key),
    call(PrivateKey, "putty_private_key", "PuTTY private key", &["Private-Lines:"], keys::putty_key),
    call(PrivateKey, "openvpn_static_key", "OpenVPN static key", &["OpenVPN Static key"], keys::openvpn_key),
    call(PrivateKey, "wrapped_private_key", "base64-wrapped private key", &["LS0tLS1CRUdJTi"], keys::wrapped_key),
    token(PrivateKey, "age_secret_key", "age secret key", &["AGE-SECRET-KEY-1"], &[some(UPPER36, 58)]),
    call(PrivateKey, "wireguard_key", "WireGuard key", &["PrivateKey", "PresharedKey"], keys::wireguard_key),
    token(PrivateKey, "nats_seed", "NATS seed", &["SUA", "SAA", "SOA", "SNA", "SCA"], &[exactly(B32, 55)]),
    call(PrivateKey, "jwk_private_key", "private JSON web key", &["\"d\"", "\"k\""], keys::jwk),
    rule(PrivateKey, "wallet_key", "wallet key or recovery phrase", &["private key", "private_key", "privatekey", "spendkey", "spend key", "mnemonic", "seed phrase", "recovery phrase", "seed_phrase"], LetterCase::Folded, RuleCheck::Call(wallets::wallet)),
    call(PrivateKey, "extended_wallet_key", "wallet key", &["xprv9", "xprvA", "xprvs"], wallets::base58_key),
    token(PrivateKey, "ripple_seed", "wallet seed", &["sEd"], &[exactly(B62, 28)]),
    token(PrivateKey, "tezos_key", "wallet key", &["edsk"], &[Run(B62, 50, 94)]),
    token(PrivateKey, "eos_key", "wallet key", &["PVT_K1_", "PVT_R1_"], &[some(B62, 48)]),
    token(PrivateKey, "nostr_key", "Nostr secret key", &["nsec1"], &[exactly(B36, 58)]),
    call(PrivateKey, "wallet_key_array", "wallet key", &["solana", "keypair"], wallets::number_array),
    call(PrivateKey, "minisign_key", "minisign secret key", &["minisign encrypted secret key", "minisign secret key", "signify secret key"], keys::minisign_key),
    call(PrivateKey, "password_hash", "hashed password", &["$2a$", "$2b$", "$2y$", "$1$", "$5$", "$6$", "$y$", "$7$", "$apr1$", "$argon2", "$scrypt$", "pbkdf2_sha256$", "$pbkdf2"], keys::password_hash),
    call(PrivateKey, "directory_hash", "hashed password", &["{SHA}", "{SSHA}", "{SMD5}", "{SSHA256}", "{SSHA512}", "{PBKDF2}"], keys::directory_hash),
    call(PrivateKey, "directory_password", "password of a directory", &["{PLAIN}", "{CLEAR}", "{CLEARTEXT}"], keys::directory_plain),

    // Clouds and what they host.
    token(Cloud, "aws_access_key_id", "AWS access key id", &["AKIA", "ASIA", "ABIA", "ACCA"], &[exactly(UPPER36, 16)]),
    rule(Cloud, "aws_secret_access_key", "AWS secret access key", &["secret_access_key", "secretaccesskey", "secret access key", "secret-access-key", "aws_secret_key"], LetterCase::Folded, RuleCheck::Call(clouds::aws_secret)),
    token(Cloud, "aws_bedrock_key", "AWS Bedrock key", &["ABSK"], &[some(B64_PAD, 100)]),
    token(Cloud, "aws_bedrock_session_key", "AWS Bedrock session key", &["bedrock-api-key-"], &[some(B64_PAD, 40)]),
    token(Cloud, "aws_appsync_key", "AWS AppSync key", &["da2-"], &[exactly(B36, 26)]),
    token(Cloud, "aws_mws_token", "Amazon MWS token", &["amzn.mws."], UUID),
    token(Cloud, "google_api_key", "Google API key", &["AIza"], &[some(B64U, 35)]),
    token(Cloud, "gemini_key", "Gemini key", &["AQ.Ab8RN6"], &[some(B64U, 40)]),
    token(Cloud, "google_oauth_secret", "Google OAuth client secret", &["GOCSPX-"], &[some(B64U, 28)]),
    token(Cloud, "google_access_token", "Google access token", &["ya29."], &[some(B64U, 22)]),
    token(Cloud, "google_refresh_token", "Google refresh token", &["1//0"], &[some(B64U, 40)]),
    call(Cloud, "google_user_credentials", "Google user credentials", &["authorized_user"], clouds::google_user),
    rule(Cloud, "azure_account_key", "Azure account key", &["accountkey=", "accountkey:", "accountkey\""], LetterCase::Folded, RuleCheck::Call(clouds::azure_account)),
    rule(Cloud, "azure_shared_access_key", "Azure shared access key", &["sharedaccesskey="], LetterCase::Folded, RuleCheck::Call(clouds::azure_shared)),
    call(Cloud, "azure_storage_key", "Azure storage or database key", &["+ASt", "ACDb", "+ABa", "+AMC", "APIM"], clouds::azure_64),
    call(Cloud, "azure_messaging_key", "Azure messaging key", &["+ASb", "+AEh", "+ARm", "AIoT", "AzCa", "AZEG"], clouds::azure_32),
    call(Cloud, "azure_service_key", "Azure registry, search or functions key", &["+ACR", "AzSe", "AzFu"], clouds::azure_other),
    call(Cloud, "azure_annotated_key", "Azure service key", &["JQQJ9"], clouds::azure_annotated),
    call(Cloud, "azure_client_secret", "Azure client secret", &["7Q~", "8Q~"], clouds::azure_client),
    call(Cloud, "azure_sas", "Azure shared access signature", &["sig="], clouds::azure_sas),
    loose(Cloud, "alibaba_key_id", "Alibaba Cloud access key id", &["LTAI"], &[Run(B62, 12, 24)]),
    loose(Cloud, "tencent_secret_id", "Tencent Cloud secret id", &["AKID"], &[Run(B62, 32, 36)]),
    token(Cloud, "yandex_key", "Yandex Cloud key", &["AQVN"], &[Run(B64U, 35, 40)]),
    token(Cloud, "digitalocean_token", "DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], &[some(HEX, 64)]),
    token(Cloud, "heroku_key", "Heroku key", &["HRKU-AA"], &[some(B64U, 50)]),
    token(Cloud, "heroku_key_uuid", "Heroku key", &["HRKU-"], UUID),
    token(Cloud, "fly_token", "Fly.io token", &["FlyV1 fm", "fm1a_", "fm1r_", "fm2_"], &[Maybe(&[Literal("1a_")]), Maybe(&[Literal("1r_")]), Maybe(&[Literal("2_")]), some(B64_PAD, 80)]),
    token(Cloud, "fly_org_token", "Fly.io token", &["fo1_"], &[some(B64U, 43)]),
    token(Cloud, "render_key", "Render key", &["rnd_"], &[some(B62, 28)]),
    token(Cloud, "netlify_token", "Netlify token", &["nfp_"], &[some(B62, 36)]),
    token(Cloud, "vercel_token", "Vercel token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], &[some(B62, 50)]),
    token(Cloud, "cloudflare_token", "Cloudflare token", &["cfat_", "cfut_", "cfk_"], &[some(B62, 40)]),
    token(Cloud, "cloudflare_origin_key", "Cloudflare origin key", &["v1.0-"], &[exactly(HEX, 24), Literal("-"), some(HEX, 140)]),
    token(Cloud, "supabase_token", "Supabase token", &["sbp_"], &[Maybe(&[Literal("v0_")]), some(HEX, 40)]),
    token(Cloud, "supabase_secret", "Supabase secret key", &["sb_secret_"], &[some(B64U, 31)]),
    token(Cloud, "planetscale_token", "PlanetScale token", &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], &[some(OPAQUE, 32)]),
    token(Cloud, "neon_key", "Neon key", &["napi_"], &[some(B62, 60)]),
    token(Cloud, "google_storage_key_id", "Google Cloud Storage key id", &["GOOG1E"], &[some(UPPER36, 50)]),
    call(Cloud, "firebase_server_key", "Firebase server key", &[":APA91b"], clouds::firebase),
    token(Cloud, "volcengine_key_id", "Volcengine key id", &["AKLT"], &[Run(B62, 36, 60)]),
    token(Cloud, "yandex_token", "Yandex token", &["t1."], &[Run(B64U, 30, 300), Maybe(&[Literal("=="), ]), Literal("."), some(B64U, 80)]),
    loose(Cloud, "scaleway_key_id", "Scaleway key id", &["SCW"], &[exactly(UPPER36, 17)]),
    token(Cloud, "yandex_oauth_token", "Yandex token", &["y0_"], &[some(B64U, 40)]),
    token(Cloud, "yandex_static_key", "Yandex Cloud secret key", &["YCP", "YCN", "YCM", "YCO"], &[exactly(B64U, 37)]),
    token(Cloud, "backblaze_key", "Backblaze key", &["K000", "K001", "K002", "K003", "K004", "K005", "K006", "K007", "K008", "K009"], &[exactly(B64, 27)]),
    token(Cloud, "upcloud_token", "UpCloud token", &["ucat_"], &[some(UPPER36, 26)]),
    token(Cloud, "deno_token", "Deno Deploy token", &["ddp_", "ddo_"], &[some(B62, 36)]),
    token(Cloud, "val_town_token", "Val Town token", &["vtwn_"], &[some(B62, 24)]),
    token(Cloud, "clickhouse_secret", "ClickHouse Cloud secret", &["4b1d"], &[exactly(B62, 38)]),
    token(Cloud, "mongodb_atlas_key", "MongoDB Atlas secret", &["mdb_sa_sk_"], &[some(B64U, 40)]),
    loose(Cloud, "astra_token", "Astra token", &["AstraCS:"], &[some(B64U, 20), Maybe(&[Literal(":"), some(B64U, 20)])]),

    // Source hosting, registries, build services.
    call(Forge, "github_token", "GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], services::github),
    token(Forge, "github_fine_grained_token", "GitHub fine-grained token", &["github_pat_"], &[Run(B62, 20, 30), Literal("_"), some(B62, 50)]),
    loose(Forge, "gitlab_token", "GitLab token", &["glpat-", "gldt-", "glrt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "glcbt-", "glptt-", "glrtr-", "glwt-"], &[some(OPAQUE, 20)]),
    token(Forge, "gitlab_runner_token", "GitLab runner token", &["GR1348941"], &[some(B64U, 20)]),
    token(Service, "brainstem_pass", "a browser's pass of a Brainstem daemon", &["bsp_"], &[exactly(HEX, 64)]),
    token(Forge, "npm_token", "npm token", &["npm_"], &[some(B62, 36)]),
    token(Forge, "pypi_token", "PyPI token", &["pypi-AgE"], &[some(B64U, 50)]),
    token(Forge, "crates_io_token", "crates.io token", &["cio"], &[exactly(B62, 32)]),
    token(Forge, "rubygems_key", "RubyGems key", &["rubygems_"], &[some(HEX, 48)]),
    token(Forge, "clojars_token", "Clojars token", &["CLOJARS_"], &[some(HEX, 60)]),
    token(Forge, "nuget_key", "NuGet key", &["oy2"], &[exactly(B32_LOWER, 43)]),
    token(Forge, "docker_token", "Docker token", &["dckr_pat_", "dckr_oat_"], &[some(B64U, 27)]),
    token(Forge, "docker_swarm_key", "Docker Swarm key", &["SWMTKN-1-"], &[exactly(B36, 50), Literal("-"), exactly(B36, 25)]),
    token(Forge, "docker_swarm_unlock_key", "Docker Swarm unlock key", &["SWMKEY-1-"], &[some(B64, 43)]),
    token(Forge, "jfrog_key", "JFrog key", &["AKCp"], &[Run(B62, 69, 80)]),
    token(Forge, "jfrog_reference_token", "JFrog reference token", &["cmVmdGtu"], &[Run(B62, 50, 60)]),
    token(Forge, "atlassian_token", "Atlassian token", &["ATATT3", "ATCTT3"], &[some(B64U, 40), Maybe(&[Literal("="), exactly(UPPER36, 8)])]),
    token(Forge, "bitbucket_token", "Bitbucket token", &["ATBB"], &[Run(B62, 32, 36)]),
    token(Forge, "atlassian_server_token", "Atlassian server token", &["BBDC-"], &[some(B64_PAD, 40)]),
    token(Forge, "circleci_token", "CircleCI token", &["CCIPAT_"], &[some(B62, 20), Literal("_"), some(HEX, 40)]),
    token(Forge, "buildkite_token", "Buildkite token", &["bkua_", "bkaa_", "bkct_"], &[some(HEX, 40)]),
    token(Forge, "sonar_token", "Sonar token", &["squ_", "sqp_", "sqa_"], &[some(HEX, 40)]),
    token(Forge, "sourcegraph_token", "Sourcegraph token", &["sgp_"], &[Maybe(&[Literal("local_")]), Maybe(&[exactly(HEX, 16), Literal("_")]), some(HEX, 40)]),
    token(Forge, "readme_key", "ReadMe key", &["rdme_"], &[some(B36, 70)]),
    token(Forge, "postman_key", "Postman key", &["PMAK-"], &[exactly(HEX, 24), Literal("-"), some(HEX, 34)]),
    token(Forge, "cloudsmith_key", "Cloudsmith key", &["csa_"], &[some(B62, 36)]),
    loose(Forge, "phabricator_token", "Phabricator token", &["api-", "cli-"], &[exactly(B32_LOWER, 28)]),
    loose(Forge, "buildkite_cluster_token", "Buildkite token", &["bkct_", "bkaj_"], &[some(B62, 40)]),
    token(Forge, "jsr_token", "JSR token", &["jsrp_", "jsrd_"], &[some(B62, 36)]),
    token(Forge, "harness_token", "Harness token", &["pat.", "sat."], &[Run(B64U, 20, 24), Literal("."), exactly(HEX_ANY, 24), Literal("."), some(B62, 20)]),
    loose(Forge, "octopus_key", "Octopus Deploy key", &["API-"], &[Run(UPPER36, 25, 35)]),
    token(Forge, "launchdarkly_key", "LaunchDarkly key", &["api-", "sdk-", "mob-"], UUID),

    // Model providers.
    call(Model, "openai_key", "OpenAI key", &["T3BlbkFJ", "sk-proj-", "sk-svcacct-", "sk-admin-"], services::openai),
    loose(Model, "anthropic_key", "Anthropic key", &["sk-ant-"], &[some(B64U, 80)]),
    token(Model, "openrouter_key", "OpenRouter key", &["sk-or-v1-"], &[some(HEX, 64)]),
    loose(Model, "minimax_key", "MiniMax key", &["sk-api-"], &[some(B64U, 100)]),
    call(Model, "model_provider_key", "model provider key", &["sk-"], services::plain_sk),
    token(Model, "groq_key", "Groq key", &["gsk_"], &[some(B62, 50)]),
    token(Model, "xai_key", "xAI key", &["xai-"], &[some(B62, 70)]),
    token(Model, "perplexity_key", "Perplexity key", &["pplx-"], &[some(B62, 40)]),
    token(Model, "cerebras_key", "Cerebras key", &["csk-"], &[some(B36, 48)]),
    token(Model, "hugging_face_token", "Hugging Face token", &["hf_", "api_org_"], &[Run(B62, 34, 40)]),
    token(Model, "replicate_token", "Replicate token", &["r8_"], &[some(B62, 37)]),
    token(Model, "together_key", "Together key", &["tgp_v1_"], &[some(B64U, 43)]),
    token(Model, "llama_cloud_key", "LlamaCloud key", &["llx-"], &[some(B62, 48)]),
    loose(Model, "tavily_key", "Tavily key", &["tvly-"], &[Maybe(&[Literal("dev-")]), some(B62, 32)]),
    token(Model, "nvidia_key", "NVIDIA key", &["nvapi-"], &[some(B64U, 60)]),
    token(Model, "wandb_key", "Weights & Biases key", &["wandb_v1_"], &[some(B64U, 70)]),
    token(Model, "langsmith_key", "LangSmith key", &["lsv2_pt_", "lsv2_sk_"], &[exactly(HEX, 32), Literal("_"), exactly(HEX, 10)]),
    token(Model, "pinecone_key", "Pinecone key", &["pcsk_"], &[Run(B62, 4, 8), Literal("_"), some(B62, 60)]),
    token(Model, "hex_sk_key", "ElevenLabs key", &["sk_"], &[exactly(HEX, 48)]),
    loose(Model, "fireworks_key", "Fireworks key", &["fw_"], &[Run(B62, 20, 32)]),
    loose(Model, "voyage_key", "Voyage key", &["pa-"], &[Run(B64U, 40, 48)]),
    token(Model, "runpod_key", "RunPod key", &["rpa_"], &[some(UPPER36, 40)]),
    token(Model, "langfuse_key", "Langfuse key", &["sk-lf-"], UUID),
    token(Model, "helicone_key", "Helicone key", &["sk-helicone-"], &[exactly(B36, 7), Literal("-"), exactly(B36, 7), Literal("-"), some(B36, 7)]),
    loose(Model, "modal_token", "Modal token", &["ak-", "as-"], &[exactly(B62, 22)]),
    loose(Model, "dify_key", "Dify key", &["app-"], &[exactly(B62, 24)]),
    token(Model, "lambda_key", "Lambda key", &["secret_"], &[some(B36, 30), Literal("_"), exactly(HEX, 32), Literal("."), some(B62, 20)]),
    token(Model, "jina_key", "Jina key", &["jina_"], &[some(B62, 50)]),
    token(Model, "firecrawl_key", "Firecrawl key", &["fc-"], &[exactly(HEX, 32)]),
    token(Model, "e2b_key", "E2B key", &["e2b_"], &[some(HEX, 40)]),
    loose(Model, "anyscale_key", "Anyscale key", &["esecret_"], &[some(B36, 24)]),
    token(Model, "logfire_token", "Logfire token", &["pylf_v1_"], &[Run(B36, 2, 4), Literal("_"), some(B62, 40)]),
    token(Model, "mem0_key", "Mem0 key", &["m0-"], &[some(B62, 40)]),
    loose(Model, "letta_key", "Letta key", &["sk-let-"], &[some(B64U, 60)]),
    loose(Model, "cartesia_key", "Cartesia key", &["sk_car_"], &[some(B62, 20)]),

    // Chat, mail, payment and other services.
    call(Service, "slack_token", "Slack token", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxo-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xoxe.xox"], services::slack),
    token(Service, "slack_app_token", "Slack app token", &["xapp-"], &[some(DIGIT, 1), Literal("-"), some(B62, 8), Literal("-"), some(DIGIT, 8), Literal("-"), some(HEX, 60)]),
    call(Service, "slack_webhook", "Slack webhook", &["hooks.slack.com/"], services::slack_webhook),
    loose(Service, "stripe_key", "Stripe key", &["sk_live_", "rk_live_", "sk_test_", "rk_test_"], &[some(B62, 10)]),
    loose(Service, "webhook_secret", "webhook signing secret", &["whsec_"], &[some(B64_PAD, 24)]),
    token(Service, "square_token", "Square token", &["sq0atp-"], &[some(B64U, 22)]),
    token(Service, "square_secret", "Square secret", &["sq0csp-"], &[some(B64U, 43)]),
    call(Service, "square_access_token", "Square access token", &["EAAA"], services::square),
    token(Service, "shopify_token", "Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_", "shpua_"], &[some(HEX_ANY, 32)]),
    token(Service, "braintree_token", "Braintree token", &["access_token$production$", "access_token$sandbox$"], &[exactly(B36, 16), Literal("$"), exactly(HEX, 32)]),
    token(Service, "sendgrid_key", "SendGrid key", &["SG."], &[Run(B64U, 16, 32), Literal("."), some(B64U, 40)]),
    loose(Service, "mailgun_key", "Mailgun key", &["key-"], &[exactly(B36, 32)]),
    call(Service, "mailchimp_key", "Mailchimp key", &["-us"], services::mailchimp),
    token(Service, "brevo_key", "Brevo key", &["xkeysib-"], &[exactly(HEX, 64), Literal("-"), some(B62, 16)]),
    loose(Service, "mailersend_token", "MailerSend token", &["mlsn."], &[some(B62, 30)]),
    token(Service, "twilio_key", "Twilio key", &["SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"], &[exactly(HEX, 31)]),
    call(Service, "telegram_token", "Telegram bot token", &[":AA"], services::telegram),
    call(Service, "discord_token", "Discord bot token", decimal_heads!("MT" "Mj" "Mz" "ND" "NT" "Nj" "Nz" "OD" "OT"), services::discord),
    token(Service, "discord_webhook", "Discord webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], &[Run(DIGIT, 16, 22), Literal("/"), some(B64U, 60)]),
    call(Service, "teams_webhook", "Teams webhook", &["webhook.office.com/"], services::teams_webhook),
    call(Service, "json_web_token", "JSON web token", &["eyJ"], services::jwt),
    token(Service, "linear_key", "Linear key", &["lin_api_", "lin_oauth_"], &[some(B62, 40)]),
    token(Service, "notion_token", "Notion token", &["ntn_"], &[some(B62, 40)]),
    token(Service, "notion_secret", "Notion integration secret", &["secret_"], &[exactly(B62, 43)]),
    token(Service, "airtable_token", "Airtable token", &["pat"], &[exactly(B62, 14), Literal("."), exactly(HEX, 64)]),
    token(Service, "figma_token", "Figma token", &["figd_"], &[some(B64U, 38)]),
    token(Service, "shippo_token", "Shippo token", &["shippo_live_", "shippo_test_"], &[some(HEX, 40)]),
    token(Service, "easypost_key", "EasyPost key", &["EZAK", "EZTK"], &[Run(B62, 54, 60)]),
    token(Service, "typeform_token", "Typeform token", &["tfp_"], &[some(OPAQUE, 50)]),
    token(Service, "duffel_token", "Duffel token", &["duffel_live_", "duffel_test_"], &[some(B64U, 40)]),
    token(Service, "dropbox_token", "Dropbox token", &["sl.u.", "sl."], &[some(B64U, 77)]),
    call(Service, "facebook_token", "Facebook token", &["EAA"], services::facebook),
    token(Service, "instagram_token", "Instagram token", &["IGQVJ"], &[some(B64U, 100)]),
    call(Service, "twitter_bearer", "Twitter bearer token", &["AAAAAAAAAAAAAAAAAAAAA"], services::twitter),
    token(Service, "salesforce_token", "Salesforce token", &["00D"], &[Run(B62, 12, 15), Literal("!"), some(OPAQUE, 80)]),
    token(Service, "salesforce_consumer_key", "Salesforce consumer key", &["3MVG"], &[some(OPAQUE, 80)]),
    token(Service, "contentful_token", "Contentful token", &["CFPAT-"], &[some(B64U, 43)]),
    token(Service, "plaid_token", "Plaid token", &["access-sandbox-", "access-development-", "access-production-"], UUID),
    token(Service, "matrix_token", "Matrix access token", &["syt_"], &[some(B64U, 30)]),
    token(Service, "brevo_smtp_key", "Brevo key", &["xsmtpsib-"], &[exactly(HEX, 64), Literal("-"), some(B62, 16)]),
    loose(Service, "resend_key", "Resend key", &["re_"], &[exactly(B62, 8), Literal("_"), some(B62, 24)]),
    token(Service, "telnyx_key", "Telnyx key", &["KEY0"], &[some(HEX_ANY, 31), Literal("_"), some(B62, 20)]),
    token(Service, "pubnub_key", "PubNub secret key", &["sec-c-"], &[some(B64U, 40)]),
    token(Service, "onesignal_key", "OneSignal key", &["os_v2_app_", "os_v2_org_"], &[some(B32_LOWER, 80)]),
    call(Service, "pagerduty_token", "PagerDuty token", &["u+a", "u+b", "u+c", "u+d", "u+e", "u+f", "u+g", "u+h", "u+i", "u+j", "u+k", "u+l", "u+m", "u+n", "u+o", "u+p", "u+q", "u+r", "u+s", "u+t", "u+u", "u+v", "u+w", "u+x", "u+y", "u+z", "u+A", "u+B", "u+C", "u+D", "u+E", "u+F", "u+G", "u+H", "u+I", "u+J", "u+K", "u+L", "u+M", "u+N", "u+O", "u+P", "u+Q", "u+R", "u+S", "u+T", "u+U", "u+V", "u+W", "u+X", "u+Y", "u+Z", "u+_", "u+-", "u+0", "u+1", "u+2", "u+3", "u+4", "u+5", "u+6", "u+7", "u+8", "u+9"], services::pagerduty),
    token(Service, "adyen_key", "Adyen key", &["AQE"], &[some(B64, 80), Literal("="), Maybe(&[Literal("=")]), Literal("-"), some(B64, 20)]),
    token(Service, "paddle_key", "Paddle key", &["pdl_live_apikey_", "pdl_sdbx_apikey_"], &[Run(B36, 20, 30), Literal("_"), some(B62, 20)]),
    token(Service, "linkedin_secret", "LinkedIn client secret", &["WPL_AP"], &[exactly(DIGIT, 1), Literal("."), some(B62, 16), Literal("."), some(B64, 4)]),
    loose(Service, "unkey_key", "Unkey key", &["unkey_"], &[some(B62, 20)]),
    call(Service, "convex_key", "Convex deploy key", &["prod:", "preview:"], services::convex),
    token(Service, "clickup_token", "ClickUp token", &["pk_"], &[Run(DIGIT, 6, 10), Literal("_"), exactly(UPPER36, 32)]),
    token(Service, "trello_token", "Trello token", &["ATTA"], &[some(HEX_ANY, 64)]),
    call(Service, "intercom_token", "Intercom token", &["dG9rO"], services::intercom),
    token(Service, "frameio_token", "Frame.io token", &["fio-u-"], &[some(B64U, 60)]),
    token(Service, "hubspot_token", "HubSpot token", &["pat-na1-", "pat-na2-", "pat-na3-", "pat-eu1-", "pat-ap1-"], UUID),
    loose(Service, "gitbook_token", "GitBook token", &["gb_api_"], &[some(B62, 30)]),
    token(Service, "retool_token", "Retool token", &["retool_01"], &[some(B36, 20)]),
    token(Service, "flutterwave_key", "Flutterwave key", &["FLWSECK_TEST-", "FLWSECK-"], &[some(B62, 12), Maybe(&[Literal("-"), some(B62, 1)])]),
    call(Service, "live_key", "live key of a payment service", &["live_"], services::live_key),
    loose(Service, "checkout_key", "Checkout.com key", &["sk_sbox_"], &[some(B36, 26)]),
    token(Service, "woocommerce_key", "WooCommerce key", &["cs_", "ck_"], &[exactly(HEX, 40)]),
    token(Service, "lightspeed_token", "Lightspeed token", &["lsxs_pt_"], &[some(B62, 32)]),
    call(Service, "mapbox_token", "Mapbox secret token", &["sk.eyJ"], services::mapbox),
    call(Service, "maxmind_key", "MaxMind license key", &["_mmk"], services::maxmind),
    call(Service, "rapidapi_key", "RapidAPI key", &["jsn"], services::rapidapi),
    token(Service, "riot_key", "Riot key", &["RGAPI-"], UUID),
    token(Service, "segment_token", "Segment token", &["sgp_"], &[exactly(B62, 64)]),
    loose(Service, "statsig_secret", "Statsig secret", &["secret-"], &[Run(B62, 40, 50)]),
    loose(Service, "stytch_secret", "Stytch secret", &["secret-live-", "secret-test-"], &[some(B64U, 32)]),
    loose(Service, "trigger_key", "Trigger.dev key", &["tr_prod_", "tr_dev_", "tr_stg_", "tr_pat_"], &[some(B62, 20)]),
    loose(Service, "svix_key", "Svix key", &["testsk_"], &[some(B62, 24)]),
    loose(Service, "ory_token", "Ory token", &["ory_pat_", "ory_st_", "ory_at_", "ory_rt_"], &[some(B64U, 24)]),
    context("service_webhook", "webhook address", &["oapi.dingtalk.com/robot/send?", "open.feishu.cn/open-apis/bot/", "open.larksuite.com/open-apis/bot/", "qyapi.weixin.qq.com/cgi-bin/webhook/", "hooks.zapier.com/hooks/catch/", "maker.ifttt.com/trigger/", "logic.azure.com", "hook.eu1.make.com/", "hook.us1.make.com/", "chat.googleapis.com/v1/spaces/", "loggly.com/inputs/", "alchemy.com/v2/", "infura.io/v3/", "quiknode.pro/", "outlook.office.com/webhook/", "hooks.glip.com/webhook/"], addresses::webhook),

    // Monitoring and infrastructure.
    loose(Operations, "vault_token", "Vault token", &["hvs.", "hvb.", "hvr."], &[some(B64U, 24)]),
    call(Operations, "terraform_token", "Terraform Cloud token", &[".atlasv1."], services::terraform),
    token(Operations, "databricks_token", "Databricks token", &["dapi"], &[exactly(HEX, 32), Maybe(&[Literal("-"), exactly(DIGIT, 1)])]),
    token(Operations, "grafana_token", "Grafana token", &["glsa_"], &[exactly(B62, 32), Literal("_"), exactly(HEX_ANY, 8)]),
    token(Operations, "grafana_cloud_token", "Grafana Cloud token", &["glc_eyJ"], &[some(B64_PAD, 40)]),
    token(Operations, "grafana_api_key", "Grafana API key", &["eyJrIjoi"], &[some(B64_PAD, 50)]),
    token(Operations, "sentry_user_token", "Sentry token", &["sntryu_"], &[some(HEX, 64)]),
    token(Operations, "sentry_org_token", "Sentry organisation token", &["sntrys_eyJ"], &[Run(B64_PAD, 40, OPEN), Literal("_"), some(B64, 40)]),
    token(Operations, "new_relic_key", "New Relic key", &["NRAK-"], &[some(UPPER36, 27)]),
    token(Operations, "new_relic_insert_key", "New Relic insert key", &["NRII-"], &[some(B64U, 25)]),
    token(Operations, "new_relic_browser_key", "New Relic browser key", &["NRJS-", "NRBR-"], &[some(HEX, 19)]),
    call(Operations, "new_relic_license_key", "New Relic license key", &["NRAL"], services::new_relic_license),
    token(Operations, "dynatrace_token", "Dynatrace token", &["dt0c01.", "dt0s01.", "dt0s02.", "dt0s03.", "dt0s04.", "dt0s06.", "dt0s08.", "dt0s16."], &[Run(UPPER36, 8, 24), Literal("."), some(UPPER36, 64)]),
    token(Operations, "elastic_token", "Elastic token", &["essu_"], &[some(B64_PAD, 60)]),
    token(Operations, "posthog_key", "PostHog personal key", &["phx_"], &[some(B62, 40)]),
    token(Operations, "doppler_token", "Doppler token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], &[some(OPAQUE, 40)]),
    token(Operations, "onepassword_token", "1Password service token", &["ops_eyJ"], &[some(B64_PAD, 150)]),
    call(Operations, "onepassword_emergency_key", "1Password secret key", &["A3-"], services::onepassword),
    token(Operations, "pulumi_token", "Pulumi token", &["pul-"], &[exactly(HEX, 40)]),
    token(Operations, "prefect_key", "Prefect key", &["pnu_"], &[some(B62, 36)]),
    token(Operations, "honeycomb_key", "Honeycomb key", &["hcaik_", "hcbik_", "hcxik_", "hcalk_", "hcxlk_", "hcamk_", "hcxmk_"], &[some(B62, 30)]),
    token(Operations, "inngest_key", "Inngest signing key", &["signkey-prod-", "signkey-test-", "signkey-branch-"], &[some(HEX, 32)]),
    token(Operations, "rancher_token", "Rancher token", &["token-"], &[exactly(B36, 5), Literal(":"), some(B36, 50)]),
    token(Operations, "axiom_token", "Axiom token", &["xaat-", "xapt-"], UUID),
    token(Operations, "databricks_secret", "Databricks secret", &["dose"], &[exactly(HEX, 32)]),
    token(Operations, "infisical_token", "Infisical token", &["st."], &[exactly(HEX, 24), Literal("."), exactly(HEX, 32), Literal("."), some(HEX, 32)]),
    loose(Operations, "tailscale_key", "Tailscale key", &["tskey-auth-", "tskey-api-", "tskey-client-", "tskey-scim-", "tskey-webhook-"], &[some(B62, 8), Maybe(&[Literal("-"), some(B62, 16)])]),

    // Kinds that are found by their surroundings.
    call(Context, "url_credentials", "address with a password", &["://"], addresses::url),
    context("connection_string", "connection string with a password", &["password=", "pwd="], addresses::pairs),
    context("bearer_header", "bearer token", &["bearer "], headers::bearer),
    context("basic_header", "basic authorization", &["basic "], headers::basic),
    context("api_key_header", "API key header", &["x-api-key", "x-auth-token", "private-token", "x-vault-token", "x-goog-api-key", "subscription-key", "x-access-token"], headers::api_key),
    context("authorization_header", "authorization header", &["authorization"], headers::authorization),
    context("cookie_header", "cookie header", &["cookie: "], headers::cookies),
    context("command_password", "password on a command line", &["curl ", "--password", "--token", "--api-key", "--secret", "--passphrase", "mysql ", "mysqldump ", "mysqladmin "], files::command),
    context("command_login", "password on a command line", &["docker login", "podman login", "buildah login", "skopeo login", "crane auth login", "oras login", "nerdctl login", "helm registry login", "az login", "oc login", "mongo", "redis-cli", "sqlcmd", "bcp ", "ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd", "ipmitool", "mosquitto_pub", "mosquitto_sub", "rdesktop", "ncftp", "plink", "pscp", "zip ", "unzip ", "useradd", "usermod", "snmpwalk", "snmpget", "sshpass", "7z ", "unrar ", "rar ", "xfreerdp", "curl", "http ", "https ", "smbclient", "rpcclient", "lftp", "htpasswd", "http-basic.", "net use", "rabbitmqctl", "vault login ", "ngrok authtoken ", "add-authtoken ", "cargo login ", "requirepass ", "masterauth ", "enable password ", "enable secret ", "snmp-server community ", "pass oauth:", "ssh-keygen", "doctl auth", "add-generic-password", "add-internet-password", "schtasks", "rootpw", "-setairportnetwork ", "mc alias set ", "mc config host add ", "cmdkey", "wmic", "password 0 ", "password 7 ", "secret 0 ", "secret 5 ", "secret 9 ", "addauth digest ", " on >"], commands::command),
    call(Context, "command_user", "password on a command line", &[" -p ", " -P ", " -pw "], commands::user_and_password),
    call(Context, "here_string", "password that is handed to a command", &["<<< "], commands::here_string),
    context("piped_password", "password that is echoed into a command", &["| docker login", "| podman login", "| sudo -s", "| passwd", "| sudo passwd", "| chpasswd", "| sudo chpasswd", "| kinit", "| wrangler secret", "| gh auth login", "| vault login", "| helm registry", "| cryptsetup", "| gh secret set"], commands::piped),
    context("driver_address", "address of a database with a password", &["@tcp(", "@unix(", "@tcp4(", "@udp("], addresses::driver),
    context("oracle_login", "login of a database", &["sqlplus ", "oracle:thin:", "sqlldr ", "expdp ", "impdp "], addresses::oracle),
    context("query_key", "key in an address", &["?key=", "&key=", "?appid=", "&appid=", "&sig=", "?code=", "&apikey=", "?apikey=", "&auth=", "?auth=", "?sig=", "&subscription-key="], addresses::query),
    context("login_call", "password in a call", &["auth=(", "auth = (", "httpbasicauth", "httpdigestauth", "credentials(", "authentication(", "ftp(", "ftp_login(", "ldap_bind(", "simple_bind(", "imap_open(", "addlinkedsrvlogin", "pscredential", "jwt.sign(", "jwt.encode(", "jwt.verify(", "jwt.decode(", "createhmac(", "hmac.new(", "hash_hmac(", "setbasicauth", "basic_auth(", "basicauth(", "networkcredential", ".login(", "mysqli_connect(", "new mysqli(", "new pdo", "dbi->connect", "getconnection(", ".open \"", "convertto-securestring", "setpassword", ".password(", ".pass(", "pymysql.connect("], calls::login_call),
    context("community_key", "shared key", &["psk=", "psk =", "psk \"", "psk:", "unseal key", "erlang_cookie", "erlang.cookie", "x-honeycomb-team", "fastly-key"], files::shared_key),
    context("secrets_file", "line of a secrets file", &["client server secret", "smtp."], files::secrets_file),
    call(Context, "netrc_password", "netrc password", &["machine "], files::netrc),
    call(Context, "pgpass_password", "pgpass password", &[":5432:", ":5433:", ":6432:", ":6543:", ":*:"], files::pgpass),
    call(Context, "docker_config_auth", "Docker registry login", &["\"auth\""], files::docker_auth),
    call(Context, "kubernetes_secret", "Kubernetes secret", &["kind: Secret"], files::kubernetes),
    call(Context, "registry_login", "package registry login", &["_authToken", "_auth=", "_auth =", "_password="], files::npmrc),
    context("sql_insert", "password in SQL", &["insert into"], files::insert),
    context("expect_script", "password that a script sends", &["send \"", "send -- \""], files::expect),
    call(Context, "svn_login", "login of Subversion", &["K 8\npassword\nV ", "K 10\npassphrase\nV "], files::svn),
    call(Context, "redis_auth", "password of a Redis server", &["AUTH "], files::auth_line),
    context("sql_password", "password in SQL", &["identified by", "password '", "password \"", "password('", "password(\""], files::sql),
    context("session_cookie", "session cookie", &["_gitlab_session=", "connect.sid=", "sessionid=", "phpsessid=", "session="], files::cookie),
    call(Context, "totp_secret", "one-time password secret", &["otpauth://"], files::totp),
    context("datadog_key", "Datadog key", &["datadog", "dd_api_key", "dd-api-key", "dd_app_key", "dd-application-key"], vendors::datadog),
    context("twilio_auth_token", "Twilio auth token", &["twilio"], vendors::hex32),
    context("cloudflare_global_key", "Cloudflare key", &["cloudflare", "cf_api_", "x-auth-key"], vendors::cloudflare),
    context("uuid_key", "key in the form of a UUID", &["heroku", "codecov", "snyk", "messagebird"], vendors::uuid),
    context("azure_devops_token", "Azure DevOps token", &["azure", "devops"], vendors::azure_devops),
    context("sonar_login", "Sonar token", &["sonar"], vendors::hex40),
    context("okta_token", "Okta token", &["okta", "ssws "], vendors::okta),
    context("vault_legacy_token", "Vault token", &["vault"], vendors::vault),
    context("assigned_secret", "secret in an assignment", SECRET_WORDS, assignment::assigned),
    context("paired_secret", "secret beside its name", SECRET_WORDS, paired::paired),
    context("named_key", "key in an assignment", &["_key", "-key", "_sk=", "_pat=", "secret_id=", "adminkey", "hmackey", "writekey", "sharedkey"], assignment::named_key),
    context("column_of_secrets", "secret in a table", &["password", "passwd", "passwort", "kennwort", "mot de passe", "contrase\u{f1}a", "senha", "wachtwoord", "api key", "apikey", "api_key", "secret", "token", "access key"], tables::column),
    context("spoken_secret", "secret in a sentence or a table", &[
        "password", "passwd", "passphrase", "passcode", "access code", "pw:", "pw is", "pw =", "pwd", "pass ",
        "passwort", "kennwort", "zugangscode", "mot de passe", "mdp:", "mdp :", "contrase\u{f1}a", "contrasena", "clave de acceso", "clave:", "senha", "palavra-passe", "palavra passe",
        "parola", "wachtwoord", "has\u{142}o", "has\u{142}em", "haslo", "\u{43f}\u{430}\u{440}\u{43e}\u{43b}", "\u{41f}\u{430}\u{440}\u{43e}\u{43b}", "\u{30d1}\u{30b9}\u{30ef}\u{30fc}\u{30c9}",
        "\u{5bc6}\u{7801}", "\u{5bc6}\u{78bc}", "\u{53e3}\u{4ee4}", "\u{be44}\u{bc00}\u{bc88}\u{d638}", "\u{c554}\u{d638}", "l\u{f6}senord", "adgangskode", "kodeord", "passord", "salasana", "heslo",
        "\u{15f}ifre", "\u{15e}ifre", "jelsz\u{f3}", "lozinka", "geslo", "\u{3ba}\u{3c9}\u{3b4}\u{3b9}\u{3ba}\u{3cc}\u{3c2} \u{3c0}\u{3c1}\u{3cc}\u{3c3}\u{3b2}\u{3b1}\u{3c3}\u{3b7}\u{3c2}",
        "\u{39a}\u{3c9}\u{3b4}\u{3b9}\u{3ba}\u{3cc}\u{3c2} \u{3c0}\u{3c1}\u{3cc}\u{3c3}\u{3b2}\u{3b1}\u{3c3}\u{3b7}\u{3c2}", "m\u{1ead}t kh\u{1ea9}u", "kata sandi", "\u{92a}\u{93e}\u{938}\u{935}\u{930}\u{94d}\u{921}",
        "\u{643}\u{644}\u{645}\u{629} \u{627}\u{644}\u{645}\u{631}\u{648}\u{631}", "\u{643}\u{644}\u{645}\u{629} \u{627}\u{644}\u{633}\u{631}", "contrasenya", "slapta\u{17e}odis", "parool", "\u{43b}\u{43e}\u{437}\u{438}\u{43d}\u{43a}\u{430}", "\u{e23}\u{e2b}\u{e31}\u{e2a}\u{e1c}\u{e48}\u{e32}\u{e19}", "\u{631}\u{645}\u{632} \u{639}\u{628}\u{648}\u{631}", "\u{67e}\u{627}\u{633} \u{648}\u{631}\u{688}", "\u{9aa}\u{9be}\u{9b8}\u{993}\u{9af}\u{9bc}\u{9be}\u{9b0}\u{9cd}\u{9a1}",
        "\u{5e1}\u{5d9}\u{5e1}\u{5de}\u{5d4}", "\u{5e1}\u{5d9}\u{5e1}\u{5de}\u{5d0}",
    ], spoken::password),
    context("spoken_key", "key in a sentence", &["secret", "token", "api key", "access key", "auth key", "encryption key", "master key", "license key", "api_key", "apikey", "api-key", "schl\u{fc}ssel", "cl\u{e9} api", "cl\u{e9} secr\u{e8}te", "clave api", "chave de api", "chave api", "chiave api", "api-sleutel", "klucz api", "api\u{30ad}\u{30fc}", "\u{5bc6}\u{94a5}", "api \u{d0a4}", "\u{43a}\u{43b}\u{44e}\u{447} api"], spoken::key),
    context("spoken_login", "login in a sentence", &["credentials", "login ", "login:", "user/pass", "username/password", "zugangsdaten", "anmeldedaten", "identifiants", "credenciales", "credenciais", "credenziali", "inloggegevens", "log in with", "login with", "sign in with"], spoken::login),
];

/// So much of a run without an upper bound is enough to decide; the rest is not walked before that.
pub(crate) const ENOUGH_LEN: usize = 400;

/// Returns whether a token that starts with the literal at `hit` has the parts.
pub(crate) fn parts(scan: &TextScan<'_>, mut at: usize, parts: &[TokenPart]) -> Option<usize> {
    for part in parts {
        at = match *part {
            Literal(literal) => scan.has(at, literal).then_some(at + literal.len())?,
            Run(set, min, max) => {
                let mut len = scan.run(at, set, max.saturating_add(1).min(ENOUGH_LEN));
                // A full stop may end the sentence instead of belonging to the token.
                while len > min && scan.at(at + len - 1) == Some(b'.') {
                    len -= 1;
                }
                (min <= len && len <= max).then_some(at + len)?
            }
            Maybe(inner) => self::parts(scan, at, inner).unwrap_or(at),
        };
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test] // spec: MEM-14
    fn rows_have_unique_ids_and_lower_case_folded_literals() {
        let ids: BTreeSet<_> = RULES.iter().map(|rule| rule.kind.id).collect();
        assert_eq!(ids.len(), RULES.len());
        for rule in RULES {
            assert!(!rule.keys.is_empty(), "{}", rule.kind.id);
            assert!(
                rule.kind
                    .id
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            );
            if rule.case == LetterCase::Folded {
                assert!(rule.keys.iter().all(|key| *key == key.to_ascii_lowercase()), "{}", rule.kind.id);
            }
        }
    }

    #[test]
    fn parts_are_exact_where_they_say_so() {
        let check = |text: &str, expected: Option<usize>| {
            let shape = &[exactly(HEX, 4), Literal("-"), some(B64U, 2)];
            assert_eq!(parts(&TextScan::new(text.as_bytes()), 0, shape), expected, "{text}");
        };
        check("12ab-xy", Some(7));
        check("12ab-xyz.", Some(8));
        check("12abc-xy", None);
        check("12a-xy", None);
        check("12ab-x", None);
    }
}
