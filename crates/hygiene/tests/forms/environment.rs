//! Passwords of letters alone in variables of the environment, and the values of such variables that are none.

/// Forms around a password of letters.
#[rustfmt::skip]
pub(crate) const VARIABLES: &[(&str, &str)] = &[
    ("word for psql", "PGPASSWORD=‹letterword› psql -h ‹host› -U ‹user› ‹db›"),
    ("word for mysql", "MYSQL_PWD=‹letterword› mysql -u ‹user› ‹db›"),
    ("word for redis", "REDISCLI_AUTH=‹letterword› redis-cli -h ‹host› ping"),
    ("password for redis", "export REDISCLI_AUTH=‹pwu›"),
    ("word for sshpass", "SSHPASS=‹letterword› sshpass -e ssh ‹user›@‹host›"),
    ("word for borg", "export BORG_PASSPHRASE='‹letterword›'"),
    ("word for restic", "RESTIC_PASSWORD=\"‹letterword›\" restic -r /srv/backup snapshots"),
    ("word for ansible", "ANSIBLE_BECOME_PASS=‹letterword› ansible-playbook site.yml"),
    ("word in a settings file", "DB_HOST=‹host›\nDB_USER=‹user›\nDB_PASSWORD=‹letterword›\nDB_NAME=‹db›"),
    ("short name in a settings file", "LDAP_BIND_PW=‹letterword›"),
    ("password under a short name", "LDAP_BIND_PW=‹pwu›"),
    ("title word in a settings file", "SMTP_PASSWORD=‹Letterword›"),
    ("word as a session secret", "SESSION_SECRET=‹letterword›‹letterword›"),
    ("word in compose list", "services:\n  db:\n    environment:\n      - MYSQL_ROOT_PASSWORD=‹letterword›"),
    ("word in compose map", "services:\n  db:\n    environment:\n      MYSQL_ROOT_PASSWORD: ‹letterword›\n      TZ: UTC"),
    ("word in dockerfile", "FROM postgres:17\nENV POSTGRES_PASSWORD=‹letterword›"),
    ("word in old dockerfile", "FROM postgres:17\nENV POSTGRES_PASSWORD ‹letterword›"),
    ("word in dockerfile argument", "ARG ADMIN_PASSWORD=‹letterword›"),
    ("word for a container", "docker run -d -e MYSQL_ROOT_PASSWORD=‹letterword› mysql:8"),
    ("word in csh", "setenv PGPASSWORD ‹letterword›"),
    ("word in fish", "set -gx PGPASSWORD ‹letterword›"),
    ("word in cmd", "set PGPASSWORD=‹letterword›"),
    ("word in powershell", "$env:PGPASSWORD = \"‹letterword›\""),
    ("word in unit file", "[Service]\nEnvironment=\"DB_PASSWORD=‹letterword›\""),
    ("word in code of markdown", "Run `PGPASSWORD=‹letterword› psql` on the host."),
];

/// Variables without a secret.
#[rustfmt::skip]
pub(crate) const HARMLESS_VARIABLES: &[(&str, &str)] = &[
    ("placeholder of psql", "PGPASSWORD=‹password|changeme|secret|mypassword|yourpassword|xxx|xxxxxxxx|changeit|example› psql -h db"),
    ("reference of psql", "PGPASSWORD=‹$PW|$DB_PASSWORD|${PGPASSWORD}|$(pass show db)|<password>|%PW%|{{ password }}|…|...› psql"),
    ("prose about variables", "Set PGPASSWORD, MYSQL_PWD or REDISCLI_AUTH before the call; SSHPASS= is read by sshpass -e alone."),
    ("prose with equals", "The variable DB_PASSWORD=value pairs are read from .env, and PASSWORD=required means that none is guessed."),
    ("env in prose", "the env PGPASSWORD variable\nENV variables such as DB_PASSWORD stay empty"),
    ("local service", "‹POSTGRES_PASSWORD=postgres|KEYCLOAK_ADMIN_PASSWORD=keycloak|MINIO_ROOT_PASSWORD=minioadmin|GRAFANA_PASSWORD=grafana|ORDERS_PASSWORD=orders|DB_PASSWORD=wordpress›"),
    ("local service in compose", "environment:\n  POSTGRES_PASSWORD: ‹postgres|password|changeme|example|secret›\n  MONGO_INITDB_ROOT_PASSWORD: ‹mongodb|example›"),
    ("working folder", "PWD=projects\nOLDPWD=something\nINIT_CWD=folder"),
    ("messages", "WRONG_PASSWORD=incorrect\nERR_PASSWORD=mismatch\nFORGOT_PASSWORD=forgotten\nRESET_PASSWORD: zurück\nENTER_PASSWORD=bitteeingeben"),
    ("interface keys", "LOGIN_PASSWORD: Kennwort\nUSER_PASSWORD: Passwort\nNEW_PASSWORD: Nieuw\nOLD_PASSWORD: Ancien"),
    ("code with capitals", "PASSWORD = getpass\nPASSWORD=getpass.getpass()\nconnect(PASSWORD=passvar, USER=user)\nif PASSWORD==stored: pass"),
    ("tokens of grammars", "IDENT_TOKEN=identifier\nEND_TOKEN=semicolon\nTOKEN=keyword\nACCESS_TOKEN=bearer"),
    ("names of stored secrets", "TLS_SECRET=wildcardcert\nK8S_SECRET=regcredentials\nIMAGE_PULL_SECRET=registrylogin"),
    ("ask pass", "SSH_ASKPASS=ksshaskpass git fetch\nGIT_ASKPASS=echo\nSUDO_ASKPASS=zenity"),
    ("made up for a test", "DB_PASSWORD=‹testing|fakepass|dummypassword|notasecret|somepassword|anything|temporary|mockpassword|demodemo›"),
    ("user of basic auth", "AUTH=basic\nREDISCLI_AUTH=$REDIS_PASSWORD\nREDISCLI_AUTH=<password>"),
    ("short name in code", "user_pw = prompt_for_pw()\nnew_pw = request.form['pw']\ncheck_pw(user, db_pw)"),
];
