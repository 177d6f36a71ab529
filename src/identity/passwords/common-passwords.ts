/**
 * The passwords that are guessed first, of eight characters and more (shorter ones are refused by their length). They are compared in lower
 * case and with the usual digits read as letters, in addition to `listedPasswords`.
 */
const PASSWORDS = `
1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc q1w2e3r4 q1w2e3r4t5 zaq12wsx zaq1zaq1 asdf1234 asdfasdf asdfghjkl qwer1234 qwertyui
qwertyuiop qweasdzxc qazwsxedc zxcvbnm1 zxcvbnm123 11223344 1122334455 12121212 12341234 123123123 123456789a 123456aa 123qweasd
1234qwer 12344321 123454321 123654789 147258369 159357456 159753456 741852963 789456123 987654321 87654321 98765432 aa123456 aa12345678
abc12345 abcd1234 abcdefgh a1b2c3d4 a123456789 aaron431 access14 adminadmin admin123 administrator alexander alexandra asshole1
babygirl1 bailey123 baseball1 basketball batman123 beautiful blahblah blink182 brandon1 butterfly butthead caroline changeme
charlie1 chelsea1 chocolate christian christopher computer1 corvette cowboys1 creative danielle default1 diamond1 dolphins einstein
elephant elizabeth explorer facebook falcon123 ferrari1 fireball firebird fishing1 flower123 football1 forever21 freedom1 friends1
fuckyou1 fuckyou2 garfield gateway1 gfhjkm123 giants123 ginger123 goldfish google123 guest123 hardcore hello123 helloworld
hunter22 iloveyou1 iloveyou2 iloveyou123 imissyou internet jackass1 jasmine1 jennifer jessica1 jonathan jordan23 justin123
kawasaki kimberly kristina lakers24 leicester letmein1 letmein123 liverpool1 lovelove loveyou1 macintosh madison1 marlboro master123
matthew1 maverick melissa1 mercedes merlin123 metallica michael1 michelle microsoft midnight mitchell monkey123 mountain mustang1
mynoob123 myspace1 nathalie nicholas nicole123 nintendo nothing1 nursing1 oblivion october1 p4ssword pa55word paradise passport
passw0rd password password1 password12 password123 password1234 patricia penelope personal phoenix1 pikachu1 platinum playboy1
playstation pokemon1 pokemon123 portugal precious princess princess1 purple123 question qwerty12 qwerty123 qwerty1234 rainbow1
rangers1 realmadrid redskins remember richard1 rootroot rosebud1 samantha samsung1 samsung123 sandra123 scooter1 scorpion secret123
security senator1 shadow123 sharks12 shithead skywalker slipknot snickers snowball softball sometimes southside spiderman startrek
starwars starwars1 steelers stephanie strawberry summer123 sunflower sunshine sunshine1 superman superman1 superstar survivor swordfish
target123 tennis123 test1234 testtest theodore thomas123 thunder1 tigger123 tinkerbell trustno1 trustnoone twilight undertaker
unicorn1 valentina valentine vanessa1 veronica victoria viking123 volleyball warcraft welcome1 welcome12 welcome123 whatever
william1 windows1 winston1 winter123 wolverine wrestling xbox360x yankees1 zaqxswcde
contrasena contrasena1 contrasenya teamomucho tequiero mariposa estrella bonjour1 motdepasse azertyuiop azerty123 jetaime1 soleil123
loulou123 doudou123 chouchou marseille`;

/** Words that stay guessable with a year, a number or an exclamation mark hung on them. */
const WORDS = `
password passwort contrasena motdepasse welcome letmein changeme secret admin administrator login guest default temp test user root
qwerty qwertz azerty asdf asdfgh zxcvbn iloveyou monkey dragon master shadow sunshine princess football baseball basketball hockey soccer
superman batman spiderman starwars pokemon michael jennifer jessica daniel jordan hunter harley ranger charlie thomas andrew matthew
computer internet samsung google apple microsoft facebook mustang corvette ferrari mercedes porsche toyota chevrolet yankees lakers
january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday
sunday spring summer autumn fall winter invierno verano otono primavera printemps automne hiver
truck trucker trucking trucks driver drivers dispatch dispatcher hauling hauler gravel quarry asphalt concrete loads dump dumptruck
company office manager foreman biller canada america mexico texas florida california toronto montreal quebec`;

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
export const COMMON_PASSWORDS = list(PASSWORDS);
export const COMMON_WORDS = list(WORDS);

let listed: Promise<ReadonlySet<string>> | undefined;
/** The 49,000 most common passwords of leaks, in lower case, as zxcvbn knows them. Unpacked when somebody first chooses a password. */
export function listedPasswords(): Promise<ReadonlySet<string>> {
  listed ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
  return listed;
}
