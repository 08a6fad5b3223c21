import { describe, expect, test } from 'vitest'
import { expectLessThan, expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { REDACTED, redactSecrets } from './redact-secrets.ts'

// Nothing here is a key of anybody: all are put together when the test runs.
const LETTERS = 'aB3dE5gH7jK9mN1pQ4sT6vW8yZ0bC2dF5gH8kL2nP4rS6tU9'
const DIGITS = '3f9a1c7e5b2d8046'
const UPPER = 'Q3EGRN7PX2KLM4TU'
const al = (length: number) => LETTERS.repeat(5).slice(0, length)
const hex = (length: number) => DIGITS.repeat(20).slice(0, length)
const base64 = `${al(22)}hM=`
const aws = `${al(13)}/${al(7)}+${al(18)}`
const uuid = `${hex(8)}-89ab-4def-8123-${hex(12)}`
const jwt = `eyJ${al(17)}.eyJ${al(17)}`
const words = 'aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH'

/** A text as it stands somewhere, and the part of it that nobody may see. */
const SECRETS: readonly (readonly [text: string, secret: string])[] = [
  [`AWS_SECRET_ACCESS_KEY=${aws}`, aws],
  [`aws_secret_access_key = ${aws}`, aws],
  [`export AWS_SESSION_TOKEN=IQoJb3JpZ2luX2VjE${al(60)}`, al(60)],
  [`"SecretAccessKey": "${aws}",`, aws],
  [`AKIA${UPPER}`, UPPER],
  [`ASIA${UPPER}.`, UPPER],
  ['postgres://admin:hunter2@db.internal:5432/app', 'hunter2'],
  ['redis://:s3cr3tpw@cache:6379', 's3cr3tpw'],
  ['mongodb+srv://u:p%40ss!w0rd@c.mongodb.net', 'p%40ss!w0rd'],
  ['https://deploy:tr0ub4dor@git.example.com/x.git', 'tr0ub4dor'],
  ['amqp://guest:letmein@mq', 'letmein'],
  ['mysql://root:correcthorse@127.0.0.1/x', 'correcthorse'],
  [`Authorization: Basic ${base64}`, base64],
  [`Authorization: Bearer ${al(24)}`, al(24)],
  [`authorization: token ${al(40)}`, al(40)],
  [`-H 'Authorization: Bearer ${al(20)}'`, al(20)],
  [`"Authorization": "Basic ${base64}"`, base64],
  [`{\\"Authorization\\": \\"Bearer ${al(30)}\\"}`, al(30)],
  [`Bearer ${al(30)}`, al(30)],
  [`X-Api-Key: ${al(24)}`, al(24)],
  [`{\\"password\\": \\"hunter2\\"}`, 'hunter2'],
  [`{\\\\\\"password\\\\\\": \\\\\\"hunter2\\\\\\"}`, 'hunter2'],
  [`{"password":"hunter2"}`, 'hunter2'],
  [`{"password":"pa\\"ss1"}`, 'pa\\"ss1'],
  [`{"password":"pa\\" hunter22"}`, 'hunter22'],
  [`{"password":"pa1\\\\","user":"u"}`, 'pa1'],
  [`{\\"password\\":\\"pa\\\\\\"ss1\\"}`, 'ss1'],
  [`{"body":"{\\u0022password\\u0022:\\u0022a'b\\"c1\\u0022}"}`, `a'b\\"c1`],
  [`password='pa55w\\' --name 'a b'`, 'pa55w'],
  [`$env:PASSWORD='hunter22x9\\'; echo 'a b'`, 'hunter22x9'],
  [`login(password='hunter22x9\\', user='a b')`, 'hunter22x9'],
  [`api_key = "hunter22x9\\";\nuser = "a b";`, 'hunter22x9'],
  [`{"cmd":"password='abc1","words":"and it's said that it is"}`, 'abc1'],
  [`{'password': 'hunter2'}`, 'hunter2'],
  ['ConvertTo-SecureString "hunter two" -AsPlainText -Force', 'hunter two'],
  ["$p = ConvertTo-SecureString -String 'correct' -AsPlainText -Force", 'correct'],
  ['convertto-securestring -AsPlainText "P$ss\\word" -Force', 'P$ss\\word'],
  ['{"command": "ConvertTo-SecureString \\"hunter2\\" -AsPlainText"}', 'hunter2'],
  ['"swordfish" | ConvertTo-SecureString -AsPlainText -Force', 'swordfish'],
  ['ConvertTo-SecureString Sw0rdfish -AsPlainText -Force', 'Sw0rdfish'],
  ['(ConvertTo-SecureString -String:"hunter two" -AsPlainText)', 'hunter two'],
  ['ConvertTo-SecureString `\n  -String "hunter two" `\n  -AsPlainText -Force', 'hunter two'],
  ['{"command": "ConvertTo-SecureString `\\r\\n -AsPlainText -Force \\"hunter2\\""}', 'hunter2'],
  [`https://example.com/v1/items?key=${al(24)}&page=2`, al(24)],
  [`GET /maps?q=paris&key=${hex(32)}`, hex(32)],
  ['curl "https://api.example.com/x?key=a8f5f167f4"', 'a8f5f167f4'],
  ['PGPASS=db:5432:app:bob:hunter2', 'hunter2'],
  ['password=hunter2', 'hunter2'],
  ['passwd=hunter2', 'hunter2'],
  ['pwd=hunter2', 'hunter2'],
  ['secret=hunter2x', 'hunter2x'],
  ['api_key=hunter2x9', 'hunter2x9'],
  ['password: hunter2', 'hunter2'],
  ['password: "hunter two"', 'hunter two'],
  ['password = "correct horse battery staple"', 'correct horse battery staple'],
  ['db_password: Tr0ub4dor&3', 'Tr0ub4dor&3'],
  ['DB_PASSWORD=Tr0ub4dor&3', 'Tr0ub4dor&3'],
  ['DB_PASSWORD=p@ss,w;ord(1)', 'p@ss,w;ord(1)'],
  ['DATABASE_PASS=letmein', 'letmein'],
  ['POSTGRES_PASSWORD: swordfish9', 'swordfish9'],
  ['SECRET_KEY=django-insecure-$kd9#s@1', 'django-insecure-$kd9#s@1'],
  [`SECRET_KEY_BASE=${hex(128)}`, hex(64)],
  [`SECRET_KEY = '${al(50)}'`, al(50)],
  [`MY_SERVICE_TOKEN=${al(20)}`, al(20)],
  [`STRIPE_KEY=${al(32)}`, al(32)],
  [`mytool --token=${al(20)}`, al(20)],
  [`mytool --token ${al(20)}`, al(20)],
  ['mytool --password hunter2!', 'hunter2!'],
  ['--password "open sesame"', 'open sesame'],
  ['--password=sesame', 'sesame'],
  ['mysql -u root -phunter2 app', 'hunter2'],
  ["mysqldump -uroot -p'hunter2' app", 'hunter2'],
  ['mysql --password=hunter2', 'hunter2'],
  ['curl -u admin:hunter2 https://x', 'hunter2'],
  ['curl -s --user "admin:hunter2" x', 'hunter2'],
  [`Cookie: sessionid=${al(32)}; theme=dark`, al(32)],
  [`Set-Cookie: sid=s%3A${al(32)}; Path=/; HttpOnly`, al(32)],
  [`curl -b 'session=${al(30)}' x`, al(30)],
  [`"Cookie": "session=${al(30)}"`, al(30)],
  [`xoxb-123456789012-1234567890123-${al(24)}`, al(24)],
  [`https://hooks.slack.com/services/T0ABCDE12/B0ABCDE34/${al(24)}`, al(24)],
  [`xapp-1-A012-345-${hex(40)}`, hex(40)],
  [`pypi-AgEIcHlwaS5vcmc${al(60)}`, al(60)],
  [`npm_${al(36)}`, al(36)],
  [`//registry.npmjs.org/:_authToken=${al(36)}`, al(36)],
  [`//r/:_password="${base64}"`, base64],
  [`_auth=${base64}`, base64],
  [`dop_v1_${hex(64)}`, hex(64)],
  [`gsk_${al(48)}`, al(48)],
  [`hvs.${al(48)}${al(44)}`, al(48)],
  [`s.${al(24)}`, al(24)],
  [`123456789:AA${al(33)}`, al(33)],
  [`MTA${al(21)}.GhIjKl.${al(38)}`, al(38)],
  [`https://discord.com/api/webhooks/123456789012345678/${al(48)}`, al(48)],
  [
    `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${al(43)}${al(43)}==;EndpointSuffix=core`,
    al(43),
  ],
  [`https://x.blob.core.windows.net/c?sv=2022&se=2024&sig=${al(30)}%2B${al(10)}%3D`, al(30)],
  [`Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=${al(43)}=`, al(43)],
  [`Server=tcp:x;Database=d;User ID=sa;Password=Str0ng!Pass;Encrypt=true`, 'Str0ng!Pass'],
  [`abc8Q~${al(34)}`, al(34)],
  [`AIza${al(35)}`, al(35)],
  [`ya29.${al(60)}`, al(48)],
  [`GOCSPX-${al(28)}`, al(28)],
  [
    `"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEvQ${al(44)}\\n${al(48)}\\n-----END PRIVATE KEY-----\\n",`,
    al(44),
  ],
  [
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${hex(32)}\n\n${al(48)}\n${al(40)}\n-----END RSA PRIVATE KEY-----`,
    al(48),
  ],
  [`-----BEGIN OPENSSH PRIVATE KEY-----\n${al(48)}\n${al(48)}`, al(48)],
  [
    `+-----BEGIN EC PRIVATE KEY-----\n+${al(48)}\n+${al(40)}\n+-----END EC PRIVATE KEY-----`,
    al(48),
  ],
  [
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${al(48)}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----`,
    al(48),
  ],
  [`    1→-----BEGIN RSA PRIVATE KEY-----\n    2→${al(48)}\n    3→${al(48)}`, al(48)],
  [`sk_live_${al(24)}`, al(24)],
  [`rk_test_${al(24)}`, al(24)],
  [`whsec_${al(32)}`, al(32)],
  [`SK${hex(32)}`, hex(32)],
  [`TWILIO_AUTH_TOKEN=${hex(32)}`, hex(32)],
  [`SG.${al(22)}.${al(43)}`, al(43)],
  [`key-${hex(32)}`, hex(32)],
  [`ghp_${al(36)}`, al(36)],
  [`gho_${al(36)}`, al(36)],
  [`ghs_${al(36)}`, al(36)],
  [`github_pat_${al(22)}_${al(48)}`, al(48)],
  [`glpat-${al(20)}`, al(20)],
  [`ATBB${al(32)}`, al(32)],
  [`ATATT3xFfGF0${al(48)}`, al(48)],
  [`hf_${words}`, words],
  [`sk-ant-api03-${al(48)}`, al(48)],
  [`sk-proj-${al(48)}`, al(48)],
  [`sk-or-v1-${hex(64)}`, hex(64)],
  [`MISTRAL_API_KEY=${al(32)}`, al(32)],
  [`COHERE_API_KEY: ${al(40)}`, al(40)],
  [`xai-${al(48)}`, al(48)],
  [`${jwt}.${al(43)}`, al(43)],
  ['machine api.github.com login bob password hunter2', 'hunter2'],
  ['machine x\n  login bob\n  password hunterzwei\n', 'hunterzwei'],
  ['localhost:5432:app:bob:hunter2', 'hunter2'],
  ['db.example.com:*:*:bob:hunterzwei', 'hunterzwei'],
  [`{"auths":{"https://index.docker.io/v1/":{"auth":"${base64}"}}}`, base64],
  [`    client-key-data: ${al(48)}${al(48)}`, al(48)],
  [`    token: ${al(40)}`, al(40)],
  ['PGPASSWORD=hunter2 psql -h x', 'hunter2'],
  ["ALTER USER bob WITH PASSWORD 'hunter2';", 'hunter2'],
  ["CREATE USER 'bob'@'%' IDENTIFIED BY 'hunterzwei';", 'hunterzwei'],
  ['docker login -u bob -p hunterzwei reg.io', 'hunterzwei'],
  ['sshpass -p hunterzwei ssh x', 'hunterzwei'],
  ['redis-cli -h x -a hunterzwei', 'hunterzwei'],
  ['<password>hunterzwei</password>', 'hunterzwei'],
  ['<add key="DbPassword" value="hunterzwei"/>', 'hunterzwei'],
  ['<connection password="hunterzwei"/>', 'hunterzwei'],
  ['{"name": "DB_PASSWORD", "value": "hunterzwei"}', 'hunterzwei'],
  ['- name: DB_PASSWORD\n  value: hunter2\n', 'hunter2'],
  ['https://x.io/login?user=a&password=hunterzwei&x=1', 'hunterzwei'],
  ['?api_key=abc123def456', 'abc123def456'],
  ['user=a\\u0026password=hunterzwei\\u0026', 'hunterzwei'],
  ['password%3Dhunter2%26', 'hunter2'],
  ['A=1;API_SECRET=s3cr&et#9,xx npm', 's3cr&et#9,xx'],
  ['Server=tcp:x,1433;PWD=p1,ss#1&2;Database=d', 'p1,ss#1&2'],
  ['cd x;DB_PASSWORD=abc1#d&ef,gh', '#d&ef,gh'],
  ['&quot;password&quot;: &quot;hunterzwei&quot;', 'hunterzwei'],
  ['password: >-\n    hunter2\n', 'hunter2'],
  ["process.env['DB_PASSWORD'] = 'hunterzwei'", 'hunterzwei'],
  ["define('DB_PASSWORD', 'hunter2!')", 'hunter2!'],
  ["'password' => 'hunterzwei',", 'hunterzwei'],
  [`const token: string = "${al(24)}"`, al(24)],
  ['password := "hunterzwei"', 'hunterzwei'],
  ['let password: &str = "hunterzwei";', 'hunterzwei'],
  ['.password("hunter2!")', 'hunter2!'],
  ['if (password === "hunter2") {', 'hunter2'],
  ['the password is hunter2x9!', 'hunter2x9!'],
  ['my password: hunter2', 'hunter2'],
  ['password hunter2x', 'hunter2x'],
  [`-GITHUB_TOKEN=ghp_${al(36)}`, al(36)],
  [`-ghp_${al(36)}`, al(36)],
  [`first\\nghp_${al(36)}`, al(36)],
  [`a ghp_${al(36)} b glpat-${al(20)} c`, al(20)],
  [`sk-ant-api03-${al(48)}${'\n'}${al(40)}`, al(40)],
  [`    ${jwt}${al(30)}\n    ${al(48)}.${al(20)}\n    ${al(43)}`, al(43)],
  [`token = ghp_${al(6)}\n${al(34)}`, al(34)],
  [`root:$6$abcdefgh$${al(48)}${al(38)}:19000:`, al(48)],
  [`bob:$2b$12$${al(48)}abcde`, al(48)],
  [`bob:$apr1$abcdefgh$${al(22)}`, al(22)],
  ['root:hunterzwei@tcp(127.0.0.1:3306)/app', 'hunterzwei'],
  ['sqlplus scott/tigerzwei@orcl', 'tigerzwei'],
  ['ldapsearch -D cn=x -w hunterzwei', 'hunterzwei'],
  ['openssl rsa -passin pass:hunterzwei', 'hunterzwei'],
  ['echo "bob:hunterzwei" | chpasswd', 'hunterzwei'],
  [`MAILCHIMP=${hex(32)}-us14`, hex(32)],
  [`lin_api_${al(40)}`, al(40)],
  [`ntn_12345678901${al(35)}`, al(35)],
  [`secret_${al(43)}`, al(43)],
  [`figd_${al(40)}`, al(40)],
  [`glsa_${al(32)}_${hex(8)}`, al(32)],
  [`NRAK-${UPPER}ABCDEFGHIJK`, UPPER],
  [`dapi${hex(32)}`, hex(32)],
  [`shpat_${hex(32)}`, hex(32)],
  [`sq0csp-${al(43)}`, al(43)],
  [`dckr_pat_${al(27)}`, al(27)],
  [`PMAK-${hex(24)}-${hex(34)}`, hex(34)],
  [`r8_${al(37)}`, al(37)],
  [`pplx-${al(48)}`, al(48)],
  [`HEROKU_API_KEY=${uuid}`, uuid],
  [`heroku_api_key: "${uuid}"`, uuid],
  [`kubectl create secret generic x --from-literal=password=hunterzwei`, 'hunterzwei'],
  [`--from-literal=api-token=${al(20)}`, al(20)],
  [`aws configure set aws_secret_access_key ${aws}`, aws],
  [`vault login ${al(26)}`, al(26)],
  [
    `mnemonic: "legal winner thank year wave sausage worth useful legal winner thank yellow"`,
    'legal winner thank',
  ],
  [`PRIVATE_KEY=0x${hex(64)}`, hex(64)],
  [`[default]\naws_access_key_id=AKIA${UPPER}\naws_secret_access_key=${aws}`, aws],
  [`spring.datasource.password=hunterzwei`, 'hunterzwei'],
  [`ansible_ssh_pass: hunter2`, 'hunter2'],
  [`smtp_pass = "hunterzwei"`, 'hunterzwei'],
  [`auth: { user: 'bob', pass: 'hunterzwei' }`, 'hunterzwei'],
  [`ENV JWT_SECRET supersecretvalue1`, 'supersecretvalue1'],
  [`JWT_SECRET=supersecretvalue`, 'supersecretvalue'],
  [`secret: "keyboard-cat-9"`, 'keyboard-cat-9'],
  [`JSESSIONID=${hex(32)}`, hex(32)],
  [`PHPSESSID=${hex(26)}`, hex(26)],
  [`Proxy-Authorization: Basic ${base64}`, base64],
  [`"headers": {"x-api-key": "${al(20)}"}`, al(20)],
  [`--header "PRIVATE-TOKEN: ${al(20)}"`, al(20)],
  [`TF_VAR_db_password=hunterzwei`, 'hunterzwei'],
  [`REDIS_URL=redis://default:${al(24)}@x:6379`, al(24)],
  [`SENTRY_DSN=https://${hex(32)}@o1.ingest.sentry.io/1`, hex(32)],
  [`client_secret=${al(24)}&grant_type=x`, al(24)],
  [`"refresh_token": "1//0${al(40)}"`, al(40)],
  [`gpg --batch --passphrase hunter2x`, 'hunter2x'],
  [`zip -P hunterzwei a.zip`, 'hunterzwei'],
  [`  psk="hunterzwei"`, 'hunterzwei'],
  [`<Password>hunterzwei</Password>`, 'hunterzwei'],
  [`password   : hunter2`, 'hunter2'],
  [`Password: hunterZwei`, 'hunterZwei'],
  [`+  password: hunter2`, 'hunter2'],
  [`- password: hunter2`, 'hunter2'],
  ['variable "db_password" {\n  type    = string\n  default = "hunter2"\n}', 'hunter2'],
  ["const SECRET = process.env.JWT_SECRET || 'hunter2fallback'", 'hunter2fallback'],
  ["process.env.DB_PASSWORD ?? 'hunter2'", 'hunter2'],
  [`let api_key = String::from("${al(20)}");`, al(20)],
  [`setx API_TOKEN "${al(20)}"`, al(20)],
  ["mysqldump --password='open the old door' app", 'open the old door'],
  ['jdbc:oracle:thin:scott/tigerzwei@//db:1521/ORCL', 'tigerzwei'],
  [`"db": {"pass\\u0022:\\u0022hunter2\\u0022`, 'hunter2'],
  ['**Password:** hunter2x9', 'hunter2x9'],
  ['- **Password**: `hunter2x9`', 'hunter2x9'],
  [`**API key**: \`${al(32)}\``, al(32)],
  ['| Password | `hunter2x9` |', 'hunter2x9'],
  ['| `db_password` | hunter2x9 |', 'hunter2x9'],
  [`http://localhost:3000/callback?code=4/0${al(40)}&state=1`, al(40)],
  [`GET /callback?state=1&code=${hex(20)}`, hex(20)],
  [`https://x.s3.amazonaws.com/k?Expires=1&Signature=${al(27)}%3D`, al(27)],
  ['"postgres:\\/\\/app:hunterzwei@db\\/shop"', 'hunterzwei'],
  [`https:\\/\\/hooks.slack.com\\/services\\/T0ABCDE12\\/B0ABCDE34\\/${al(24)}`, al(24)],
  ['echo hunterzwei | sudo -S apt update', 'hunterzwei'],
  ['echo "hunter two" | sudo -u bob -S apt update', 'hunter two'],
  [`printf '%s' 'hunterzwei' | docker login -u bob --password-stdin reg.io`, 'hunterzwei'],
  ['echo -n hunterzwei | gh secret set API', 'hunterzwei'],
  ['echo -n "hunterzwei" | gcloud secrets create db --data-file=-', 'hunterzwei'],
  ['sudo -S apt update <<< "hunter two"', 'hunter two'],
  ['docker login -u bob --password-stdin reg.io <<< hunterzwei', 'hunterzwei'],
  ["chpasswd <<< 'bob:hunterzwei'", 'hunterzwei'],
  ['net user bob hunterzwei /add', 'hunterzwei'],
  ['net user bob hunter2x9', 'hunter2x9'],
  ['net user bob hunter2x9 # for now', 'hunter2x9'],
  ['time passwd --stdin bob <<< hunterzwei', 'hunterzwei'],
  ['KRB5=/etc/k kinit bob <<< hunterzwei', 'hunterzwei'],
  ['echo hunterzwei | sudo passwd --stdin bob', 'hunterzwei'],
  ['echo hunterzwei | chroot /mnt passwd --stdin bob', 'hunterzwei'],
  ['echo hunterzwei | timeout 5 /opt/krb5/bin/kinit bob', 'hunterzwei'],
  ['docker exec -i -u root -w / name chpasswd <<< bob:hunterzwei', 'hunterzwei'],
  ['passwort: "Passwort123"', 'Passwort123'],
  ['passwd --stdin bob <<< hunterzwei', 'hunterzwei'],
  ['net user bob "hunter2 x9"', 'hunter2 x9'],
  ['net use Z: //srv/share hunterzwei /user:bob', 'hunterzwei'],
  ['net use //srv/share /user:bob hunter2x9', 'hunter2x9'],
  ['net ads join -U admin%hunterzwei', 'hunterzwei'],
  ["ssh-keygen -t ed25519 -N 'hunterzwei' -f k", 'hunterzwei'],
  ['plink -ssh bob@h -pw hunterzwei', 'hunterzwei'],
  ['gh secret set API --body hunterzwei', 'hunterzwei'],
  ['security add-generic-password -a bob -s x -w hunterzwei', 'hunterzwei'],
  ['aws secretsmanager create-secret --name db --secret-string hunterzwei', 'hunterzwei'],
  ['aws ssm put-parameter --name x --type SecureString --value hunterzwei', 'hunterzwei'],
  ['az keyvault secret set --vault-name v --name n --value hunterzwei', 'hunterzwei'],
  ['unrar x -phunterzwei a.rar', 'hunterzwei'],
  ["SET PASSWORD FOR 'bob'@'%' = 'hunterzwei';", 'hunterzwei'],
  ['CREATE USER bob IDENTIFIED BY hunter2x9;', 'hunter2x9'],
  ['Create User bob Identified By hunter2x9;', 'hunter2x9'],
  ["Set Password = 'hunter2x9';", 'hunter2x9'],
  ['schtasks /create /tn x /ru bob /rp hunterzwei', 'hunterzwei'],
  ['schtasks.exe /Create /RU bob /RP "hunter two"', 'hunter two'],
  ['xfreerdp /u:bob /p:hunterzwei /v:h', 'hunterzwei'],
  ["wlfreerdp /u:bob /p:'hunter; two' /v:h", 'hunter; two'],
  ['useradd -m -p hunterzwei bob', 'hunterzwei'],
  ['lftp -u bob,hunterzwei sftp://h', 'hunterzwei'],
  ['fly secrets set APP_MODE=hunterzwei', 'hunterzwei'],
  ['flyctl secrets set -a app A=xyzzyplugh "B=hunter two"', 'hunter two'],
  ['heroku config:set -a app NODE_ENV=production LICENSE=hunter2x9', 'hunter2x9'],
  ['vault kv put secret/app user=bob value=hunter2x9', 'hunter2x9'],
  ['gh secret set API --body "hunter two"', 'hunter two'],
  ["sshpass -p 'hunter two' ssh x", 'hunter two'],
  ['Passwort: a.b.hunter2', 'a.b.hunter2'],
  ['["sshpass","-p","hunterzwei","ssh","x"]', 'hunterzwei'],
  ['["sshpass", "-p", "hunter two", "ssh", "x"]', 'hunter two'],
  ['["/usr/bin/mysql", "-u", "root", "-phunterzwei"]', 'hunterzwei'],
  ["spawn('curl', ['-s', '-u', 'bob:hunterzwei'], {})", 'hunterzwei'],
  ['subprocess.run(["docker", "login", "-u", "bob", "-p", "hunterzwei"])', 'hunterzwei'],
  ["execFile('vault', ['kv', 'put', 'secret/app', 'value=hunter2x9'])", 'hunter2x9'],
]

/** The arrow behind the number of a line is the only sign that is no ASCII. */
const encode = (text: string) => encodeURIComponent(`before\n${text}\nafter`.replaceAll('→', '|'))

const PLACES: Readonly<Record<string, (text: string) => string>> = {
  alone: (text) => text,
  'between lines': (text) => `before\n${text}\nafter`,
  'in JSON': (text) => JSON.stringify({ output: text }),
  'in JSON in JSON': (text) => JSON.stringify({ arguments: JSON.stringify({ output: text }) }),
  'behind another line in JSON': (text) => JSON.stringify({ command: `cd app\n${text}` }),
  'behind a line and a tab in JSON in JSON': (text) =>
    JSON.stringify({ arguments: JSON.stringify(`if x\n\t${text}`) }),
  'behind the numbers of lines': (text) =>
    text
      .split('\n')
      .map((line, index) => `${index + 9}→${line}`.padStart(7))
      .join('\n'),
  'in a diff': (text) => `+${text.replaceAll('\n', '\n+')}`,
  'in an address': (text) => `https://x.io/?u=${encode(text)}&page=2`,
  'in an address in an address': (text) =>
    `"https://x.io/?u=${encode(`https://y.io/?u=${encode(text)}`)}"`,
}

/** As it would stand in that place, or its end: half a key is too much of it. */
function findLeaks(text: string, secret: string): string[] {
  const inside = JSON.stringify(secret).slice(1, -1)
  const encoded = encodeURIComponent(secret)
  const forms = [secret, inside, JSON.stringify(inside).slice(1, -1), encoded]
  forms.push(encodeURIComponent(encoded))
  return [...forms, ...(secret.length > 14 ? [secret.slice(-12)] : [])].filter((form) =>
    text.includes(form),
  )
}

describe('redactSecrets', () => {
  test.each(Object.entries(PLACES))('nothing of a secret is left %s', (_, place) => {
    for (const [text, secret] of SECRETS) {
      const redacted = redactSecrets(place(text))
      expect(findLeaks(redacted, secret), redacted).toEqual([])
      expect(redacted).toContain(REDACTED)
    }
  })

  test.each([
    ['密码：hunter2x，请保密', `密码：${REDACTED}，请保密`],
    ['**密码**: `hunter2x`', `**密码**: \`${REDACTED}\``],
    ['密码是 hunter2x', `密码是 ${REDACTED}`],
    ['Passwort: hunter2x', `Passwort: ${REDACTED}`],
    ['contraseña = "hunter dos"', `contraseña = "${REDACTED}"`],
    ['пароль: hunter2x', `пароль: ${REDACTED}`],
    ['密码至少 8 位，Passwort: min. 8 Zeichen', '密码至少 8 位，Passwort: min. 8 Zeichen'],
  ])('knows passwords by their names in other languages: %s', (text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted)
  })

  test.each(['\u001b[31m', '\u001b[01;31m\u001b[K', '\\e[0m', '\\u001b[38;5;9m', '%1B[1m'])(
    'a secret is hidden with %j in it, before it and behind it',
    (code) => {
      const [key, password] = [`ghp_${al(36)}`, 'hunter2x9']
      const split = (text: string, at: number) => text.slice(0, at) + code + text.slice(at)
      for (const secret of [split(key, 4), split(key, 12), key, split(split(key, 20), 4)])
        expect(redactSecrets(`a ${code}${secret}${code} b`)).toBe(`a ${code}${REDACTED}${code} b`)
      for (const secret of [key, split(key, 4), split(split(key, 20), 4)])
        expect(redactSecrets(`word${code}${secret}${code} b`)).toBe(
          `word${code}${REDACTED}${code} b`,
        )
      const searched = `ta${code}sk-${code}2025-04-01-report-of-sales`
      expect(redactSecrets(searched)).toBe(searched)
      const named = `${split('password', 4)}${code}=${code}${split(password, 3)}${code}\n`
      expect(redactSecrets(named)).toBe(
        `${split('password', 4)}${code}=${code}${REDACTED}${code}\n`,
      )
      const plain = `${code}the password${code} is ${code}required${code}`
      expect(redactSecrets(plain)).toBe(plain)
    },
  )

  test('what is around a secret stays, and so does its name', () => {
    expect(redactSecrets(`before ghp_${al(36)} after`)).toBe(`before ${REDACTED} after`)
    expect(redactSecrets(`"api_key": "${al(36)}", "user": "bob"`)).toBe(
      `"api_key": "${REDACTED}", "user": "bob"`,
    )
    expect(redactSecrets(`Authorization: Bearer ${al(36)}`)).toBe(
      `Authorization: Bearer ${REDACTED}`,
    )
    expect(redactSecrets('postgres://bob:hunter2@db/app')).toBe(`postgres://bob:${REDACTED}@db/app`)
    expect(redactSecrets('curl -u bob:hunter2 https://x.io')).toBe(
      `curl -u bob:${REDACTED} https://x.io`,
    )
  })

  test('what is around a secret in an encoded address stays', () => {
    const inner = `https://x.io/?q=a&key=${hex(32)}&page=2`
    expect(
      redactSecrets(`see https://y.io/cb?u=${encodeURIComponent(inner)}&z=1 and 5%20more`),
    ).toBe(
      `see https://y.io/cb?u=https%3A%2F%2Fx.io%2F%3Fq%3Da%26key%3D${REDACTED}%26page%3D2&z=1 and 5%20more`,
    )
    expect(redactSecrets(`u=%252F%253Ftoken%253D${hex(32)}%2526page%253D2`)).toBe(
      `u=%252F%253Ftoken%253D${REDACTED}%2526page%253D2`,
    )
  })

  test('several secrets in one line go one by one', () => {
    const line = `A_TOKEN=${al(20)} B_PASSWORD=hunter2 ghp_${al(36)} https://bob:hunter2@x.io`
    expect(redactSecrets(line)).toBe(
      `A_TOKEN=${REDACTED} B_PASSWORD=${REDACTED} ${REDACTED} https://bob:${REDACTED}@x.io`,
    )
  })

  test('JSON stays JSON', () => {
    for (const [text] of SECRETS) {
      const json = JSON.stringify({ output: text, more: JSON.stringify({ text }) })
      expect(Object.keys(JSON.parse(redactSecrets(json)))).toEqual(['output', 'more'])
    }
  })

  test('what is redacted stays as it is when it is redacted again', () => {
    for (const [text] of SECRETS)
      expect(redactSecrets(redactSecrets(text))).toBe(redactSecrets(text))
  })

  // biome-ignore-start lint/style/useTemplate: these are no templates
  test.each([
    'const token = readAccessToken(); api_key: process.env.SERVICE_KEY_NAME',
    'password = getPassword()',
    'ConvertTo-SecureString is a cmdlet that takes -AsPlainText and -Force; ConvertTo-SecureString $password -AsPlainText',
    '$secure = ConvertTo-SecureString -String "$password" -AsPlainText; Read-Host -AsSecureString',
    'https://example.com/list?key=name&page=2 https://example.com/?sort=asc&key=user-profile /a?key=YOUR_API_KEY',
    'function login(user: string, password: string, token?: Buffer): Promise<void>',
    'secretKey?: Buffer, privateKey: CryptoKey | null',
    'headers: { Authorization: `Bearer $' + '{token}`, Cookie: cookies.join("; ") }',
    'Authorization: Bearer <token>',
    'DB_PASSWORD=$DB_PASSWORD TOKEN=$' + '{{ secrets.TOKEN }} API_KEY=your-api-key-here',
    'password: "Enter your password", error: "Password is required"',
    'connect(user=user, password=password, token=self.token)',
    'max_tokens: 4096, tokens = 128000, tokenizer: o200k_base, keyboard: true',
    'the token is read from the header; the password is stored as a hash',
    'commit 3f9a1c7e5b2d80463f9a1c7e5b2d80463f9a1c7e, id 01234567-89ab-cdef-0123-456789abcdef',
    'git@github.com:owner/repo.git https://example.com/@scope/pkg http://localhost:3000/@vite/client',
    'sessionId: "01234567-89ab-cdef-0123-456789abcdef", key: "primary-button"',
    'https://example.com/?u=%2Flist%3Fkey%3Dname%26page%3D2 sprintf("key%3d: %20s", key) 100%25 token%3D',
    'docker run -u 1000:1000 -p 8080:80 image; mysql -p app; ssh -p 22 host',
    'if (token === null) return; const key = event.key',
    'src/auth/token.ts:12:5 pass: 12, fail: 3',
    'verdict: anyPassed ? "pass" : "fail", other: { "pass": "skipped" }',
    'use sk-... or ghp_xxx; see task-force-something-else',
    "['username', 'password', 'email']",
    'password: SecretStr\ntoken: UUID\nsecret: bytes',
    'https://x.io/?code=ERR_MODULE_NOT_FOUND&page=2 /e?code=E11000 /c?code=SUMMER25 exit_code=1 code=a8f5f167f44f4964',
    'unzip -p a.zip file1; zip -p a.zip file1; docker compose -p shop2 up; docker run -p 127.0.0.1:8080:80 x; mongo -u bob -p --host db1',
    "spawn('unzip', ['-p', 'a.zip', 'file1']); ['curl', 'docker', '-p', 'shop2']; heroku config:set NODE_ENV=production URL=https://x.io; vault write a b=c",
    'https://x.io/buy?code=SUMMER-2025-A1B2-C3D4 /redeem?code=XK4P-9QWE-77RT-MN2C',
    '| field | rule |\n| password | min8chars |\n| secret | varchar255 |\n| token | 24h |',
    'o artista desenha: abc1; rar a -p out1.rar x',
    'echo "deb https://x.io stable main" | sudo tee a.list; cat <<< "hello there"; bc <<< "1 + 1"; yes | sudo -S x',
    'echo see | grep passwd; sort /etc/passwd <<< "abc"; grep -c root /etc/passwd <<< "hello there"; echo yes | sudo -S x',
    'echo hello | docker exec -i c grep passwd; echo hello | sudo cat /etc/passwd; echo hello | sudo getent passwd',
    'the .NET user guide v4.5 says; net user growth 12% since; .net use of foo /user:bob',
    'senha = req.body.senha1; 密码：https://x.io/2 contraseña: "Introduce tu contraseña", passwort: "Passwort eingeben"',
    'type Auth = password | token1x; cat password | sha1sum; the net user growth was large; net user bob /active:yes',
    '| name | type |\n| password | string |\n| token | `UUID` |\n**Token:** 5000 a day, **Password**: required, at least 8',
    'char *password, **secret; seed ** 2; https:\\/\\/example.com\\/@scope\\/pkg; echo "$TOKEN" | gh auth login --with-token',
    // biome-ignore-end lint/style/useTemplate: these are no templates
  ])('no secret: %s', (text) => {
    expect(redactSecrets(text)).toBe(text)
  })

  // A slow pattern does not end before the runner gives up.
  test.each([
    'a',
    'A1',
    '\\',
    '"',
    ' ',
    '=',
    'eyJ',
    '-eyJ',
    '\\neyJ',
    'eyJa.eyJ',
    'sk-',
    'Bearer ',
    'password',
    'password=',
    'password = ',
    '\\"password\\": \\"',
    'cookie: a=',
    'token:string=',
    '-----BEGIN PRIVATE KEY-----',
    '-----END ',
    '://a:b@',
    'a:b@tcp(',
    'curl -u a:',
    'localhost:5432:',
    'IDENTIFIED WITH ',
    'Private-Lines: 1\n',
    'ghp_abc\n',
    'name: PASSWORD\n',
    'password: |\n ',
    'login password ',
    '&quot;password&quot;:',
    'x1'.repeat(20).concat('\n'),
    '%25',
    '25%',
    '%3D ',
    'key%3D',
    '%5c',
    '\\u0025',
    '**password:** ',
    '| password | ',
    'echo a | sudo -S ',
    'a --password-stdin <<< ',
    'net user a ',
    'net use a /u:a ',
    ':\\/\\/a:b@',
    '?code=',
    '密码：',
    '\u001b[31mghp_',
    '\u001b[31mSG.aaaaaaaaaaaaaaaaaaa',
    '\u001b[31mxai-aaaaaaaaaaaaaaaaaaa',
    '\u001b]8;;',
    '\u001b[',
    '"curl",',
    '"curl","-u a:b",',
    'fly secrets set ',
    'fly secrets set a=',
    "sshpass -p '",
  ])('a long run of %j takes no longer than it has to', { tags: 'slow' }, (piece) => {
    const text = piece.repeat(Math.ceil(60_000 / piece.length))
    expect(redactSecrets(text).length).toBeGreaterThan(0)
  })

  test.each(['a', '.', 'x9_', '/', '-', 'A1b2'])(
    'a word of many millions of %j is read to its end',
    { tags: 'slow' },
    (piece) => {
      const word = piece.repeat(10_000_000 / piece.length)
      expect(redactSecrets(`${word} password=hunter2`)).toBe(`${word} password=${REDACTED}`)
    },
  )

  test('a key of many millions of characters goes whole, and the text after it stays', {
    tags: 'slow',
  }, () => {
    for (const key of [
      `sk-${al(200).repeat(40_000)}`,
      `ghp_${al(200).repeat(40_000)}`,
      `eyJ${al(20)}.${hex(320).repeat(30_000)}`,
    ]) {
      expect(redactSecrets(`before ${key} after`)).toBe(`before ${REDACTED} after`)
    }
  })

  test.each(['a', 'x9_', '/', 'sk-a'])(
    'a word of %j takes time that grows with its length',
    { tags: 'slow' },
    async (piece) => {
      await expectLinearGrowth((size) => piece.repeat(size), redactSecrets, 100_000)
    },
  )

  test('indentation behind a backtick takes about the time of lines without it', async () => {
    const write = (indent: string) => {
      const lines = `\`\n${indent}`.repeat(4)
      return `ConvertTo-SecureString${lines}-Force${lines}`.repeat(4)
    }
    await expectLessThan(
      20,
      () => redactSecrets(write('')),
      () => redactSecrets(write('   ')),
    )
  })
})
