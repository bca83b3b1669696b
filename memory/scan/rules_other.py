"""Rules for German, French, Spanish, Portuguese and Russian: the families that matter most.

Texts come here in small letters without accents (ü is u, й is и); names of files and commands are known already.
"""

from __future__ import annotations

from memory.scan.rule import Rule

OTHER_FAMILIES = {
    "EU_IGNORE": r"\b(?:ignorier\w*|vergiss|vergesst|vergessen sie|missacht\w*|uberschreib\w*|umgeh\w*|verwirf\w*|befolge (?:nicht|keine)|widerruf\w*|"
    r"ignor[ae]\w{0,3}|ignorez|oublie[zr]?|outrepasse\w*|contourne\w*|desobei\w*|ne (?:suis|respecte|suivez|respectez) (?:plus|pas)|ne tiens? (?:plus|pas) compte|"
    r"olvid[ae]\w*|omite|descart[ae]\w*|desobedece\w*|no (?:sigas|obedezcas|hagas caso)|anula\w*|salta\w*|sobrescrib\w*|"
    r"esquec[ae]\w*|esquece|desconsider[ae]\w*|desobedec\w*|nao (?:sigas|siga|obedecas|obedeca)|contorn[ae]\w*|substitu\w*)\b",
    "EU_THEIRS": r"\b(?:alle\w*|bisherig\w*|vorherig\w*|vorig\w*|fruher\w*|obig\w*|deine\w*|ihre|ursprunglich\w*|bestehend\w*|system\w*|"
    r"toutes?|tous|precedent\w*|anterieur\w*|tes|vos|initial\w*|ci-dessus|systeme|todas?|todos?|anterior\w*|previ[ao]s?|tus|sus|origina\w+|sistema|de arriba|"
    r"as tuas|os teus|suas|teus|acima|tuas)\b",
    "EU_RULES": r"\b(?:anweisung\w*|instruktion\w*|regeln|vorgaben|richtlinien|befehle|systemprompt\w*|prompts?|einschrankungen|schranken|vorschriften|sicherheits\w+|"
    r"instructions?|consignes?|directives?|regles?|ordres?|restrictions?|limites|instruccion\w*|ordenes|reglas|directrices|normas|restricciones|filtros|"
    r"instrucoes|instrucao|regras|ordens|diretrizes|restricoes)\b",
    "EU_HOME": r"\b(?:arzt\w*|arztin|tierarzt\w*|lehrer\w*|rezept\w*|handbuch|vermieter\w*|medecin|recette|notice|proprietaire|professeur|veterinaire|medic[oa]|receta|manual|profesor\w*|"
    r"veterinari[oa]|receita|medica|senhorio|professor\w*|aufbau\w*|schrank|meuble|armario|medicamento|boite|frigo)\b",
    "EU_PERSON": r"\b(?:benutzer\w*|nutzer\w*|anwender\w*|besitzer\w*|eigentumer\w*|utilisat(?:eur|rice)s?|proprietaire du compte|usuari[oa]s?|utilizador\w*|dono da conta|duen[oa]|propriet[aá]ri[oa]|titular)\b",
    "EU_SECRET": r"\b(?:passwort\w*|passworter|kennwort\w*|zugangsdaten|geheimnisse|schlussel\w*|api-?\w*|token\w*|umgebungsvariablen|mots? de passe|identifiants|cles? (?:privees?|api|d'api|ssh|secretes?)|"
    r"jetons?|variables d'environnement|contrasenas?|claves? (?:privadas?|api|ssh|secretas?|de api)|credencia\w+|variables de entorno|senhas?|palavras?-passe|chaves? (?:privadas?|api|ssh|secretas?|de api)|variaveis de ambiente|codigos? de acceso)\b|%SECRET_FILE%",
    "EU_SEND": r"\b(?:send\w*|schick\w*|ubermittl\w*|lade\w*|hochlad\w*|leite\w*|weiterleit\w*|veroffentlich\w*|kopier\w*|poste\w*|hang\w*|fug\w*|gib|verrate\w*|"
    r"envoie\w*|envoy\w*|transmet\w*|transfer\w*|publie\w*|televers\w*|copie\w*|poste\w*|ajoute\w*|joins|joindre|revele\w*|donne\w*|affiche\w*|"
    r"envi[ae]\w*|mand[ae]\w*|reenvi[ae]\w*|sub[ei]\w*|public[ae]\w*|publiqu\w*|copi[ae]\w*|anad\w*|agreg\w*|adjunt\w*|revel[ae]\w*|muestr\w*|pega\w*|"
    r"encaminh\w*|carreg\w*|acrescent\w*|adicion\w*|inclu\w*|cola\w*|mostr[ae]\w*|partilh\w*|compartilh\w*)\b",
    "EU_OUT": r"%URL%|\b(?:an jeden|jede\w*|antwort\w*|offentlich\w*|kanal|nachricht\w*|chaque|reponses?|canal|public\w*|quiconque|n'importe qui|messages?|cada|respuestas?|publico|cualquiera|mensaje\w*|respostas?|todas as|qualquer|mensage\w*|wer (?:auch|immer|danach)|fusszeile|signatur\w*)\b",
    "RU_PERSON": "пользовател|владел|хозяин|хозяев|оператор|человек",
    "RU_SECRET": r"парол|ключ|токен|секрет|учетн\w+ данн|логин|переменн\w+ окружен|куки|код\w* доступа|%SECRET_FILE%",
}

_INJECTION = "It tells the assistant to set its instructions aside."
_ROLE = "It gives the assistant another role, without the rules of the house."
_CONCEAL = "It has the assistant keep something from the person it works for."
_LEAK = "It would pass secrets or private things on."
_WAIVER = "It takes away the question that a person is asked first."
_START = "It changes what runs by itself, or who may come in."
_REVEAL = "It asks for the assistant's own instructions to be given away."
_MASTER = "It puts somebody else in charge of the assistant."

_TREATS = r"\b(?:geburtstag\w*|geschenk\w*|uberraschung\w*|anniversaire|cadeau|surprise|cumpleanos|regalo|sorpresa|aniversario|presente|surpresa|festa|fiesta|natal|weihnacht\w*|noel)\b"

OTHER: tuple[Rule, ...] = (
    Rule("ignore-instructions", _INJECTION, r"\b(?:ignora\w*|dimentica\w*|trascura\w*|negeer\w*|vergeet|ignoruj\w*|zapomnij|ignorera\w*|glom)\b<25>\b(?:tutte|tutti|precedent\w*|sistema|tue|alle|vorige|eerdere|bovenstaande|jouw|wszystkie|poprzedni\w*|tidigare|alla|foregaende|dina)\b<20>\b(?:istruzion\w*|regole|ordini|direttive|instructies|opdrachten|regels|instrukcj\w*|polecen\w*|zasad\w*|instruktioner\w*|regler)\b|\b(?:onceki|tum|butun)\b<20>\b(?:talimat\w*|kural\w*|komut\w*)\b<20>\b(?:yok say|unut|gormezden gel|goz ardi|uyma)\w*", unless=r"%EU_HOME%|\bfirin\w*"),
    Rule("ignore-instructions", _INJECTION, r"%EU_IGNORE%<30>%EU_THEIRS%<30>%EU_RULES%|%EU_IGNORE%<20>%EU_RULES%<30>\b(?:anterior\w*|previ[ao]s|precedent\w*|anterieur\w*|acima|de arriba|ci-dessus|bisherig\w*|oben|du sys\w+|del sistema|do sistema|recues?|recibidas?|recebidas?)\b", unless=r"%EU_HOME%"),
    Rule("ignore-instructions", _INJECTION, r"\b(?:anweisungen|regeln|vorgaben|instructions|consignes|regles|instrucciones|reglas|ordenes|instrucoes|regras)\b<30>\b(?:ungultig|nicht mehr|aufgehoben|ausser kraft|hinfallig|ne sont plus|annulees?|n'existent plus|caduques|ya no|quedan? (?:anuladas?|sin efecto)|sin efecto|anuladas?|ja nao|sem efeito|canceladas?)\b", (r"\b(?:deine|bisherig\w*|vorherig\w*|alle|tes|vos|toutes|precedentes|systeme|tus|todas|anteriores|previas|sistema|tuas|suas)\b",), r"%EU_HOME%"),
    Rule("ignore-instructions", _INJECTION, r"\b(?:gehorche\w*|befolge\w*|obeis\w*|obedec\w*|obey|suis|sigue|siga|segue|halte dich|richte dich|folge)\b<25>\b(?:nur|ausschliesslich|allein|uniquement|seulement|exclusivement|unicamente|solamente|solo|apenas|so a|somente)\b<25>\b(?:dies\w*|notiz|dokument|datei|note|document|fichier|texte|ce|cette|este|esta|documento|nota|archivo|ficheiro|texto)\b"),
    Rule("ignore-instructions", _INJECTION, r"\b(?:neuer?|neue|nouveaux?|nouvelle|nuev[oa]s?|nov[oa]s?)\b<12>\b(?:system-?(?:prompt|nachricht|anweisung)\w*|message systeme|(?:prompt|instructions?|invite) (?:du )?systeme|(?:mensaje|prompt|instrucciones) del sistema|(?:mensagem|prompt|instrucoes) do sistema)\b"),
    Rule("reveal-prompt", _REVEAL, r"\b(?:gib|zeige?|verrate|nenne|veroffentliche|revele|affiche|montre|donne|publie|muestra|revela|ensena|publica|imprime|mostra|mostre|revele|publique)\b<30>\b(?:system-?prompt\w*|systemanweisung\w*|prompt systeme|instructions (?:systeme|cachees|initiales)|message systeme|prompt (?:del|do) sistema|instrucciones (?:del sistema|ocultas|iniciales)|instrucoes (?:do sistema|ocultas|iniciais))\b", unless=r"\b(?:nie|niemals|nicht|jamais|nunca|ne)\b"),
    Rule("role-change", _ROLE, r"\b(?:eres (?:un|una)|du bist (?:ein|eine)|tu es (?:un|une)|(?:voce e|es|tu es) (?:um|uma)|du bist (?:jetzt|ab (?:jetzt|sofort)|nun|nicht (?:mehr|langer))|sie sind (?:jetzt|nun)|verhalte dich|handle als|tu es (?:maintenant|desormais)|tu n'es plus|agis comme|comporte-toi|reponds|eres ahora|ahora eres|ya no eres|actua como|a partir de ahora eres|agora es|es agora|voce (?:e agora|agora e|nao e mais)|ja nao es|age como|aja como|antworte|responde|responda)\b<70>\b(?:(?:ohne|keine|frei von) (?:\w+ ){0,2}?(?:einschrankungen|regeln|filter|grenzen|beschrankungen|moral\w*|ethi\w*|zensur)|uneingeschrankt\w*|unzensiert\w*|sans (?:\w+ ){0,2}?(?:restrictions?|limites?|filtres?|regles|censure|morale|ethique)|sin (?:\w+ ){0,2}?(?:restricciones|limites|filtros|reglas|censura|moral|etica)|sem (?:\w+ ){0,2}?(?:restricoes|limites|filtros|regras|censura|moral|etica)|dan\b|kein assistent|un assistant|un asistente|um assistente)"),
    Rule("role-change", _ROLE, r"\b(?:entwicklermodus|wartungsmodus|debug-?modus|jailbreak-?\w*|mode (?:developpeur|debug|administrateur|sans restriction\w*)|modo (?:desarrollador|programador|desenvolvedor|administrador|dios|sin restricciones|depuracion))\b", (r"\b(?:du bist|filter\w*|einschrankung\w*|tu es|filtres?|restriccion\w*|restricoes|restrictions?|filtros?|sin limites|regeln|refuse\w*|rechaz\w*|recus\w*|obedec\w*|gehorch\w*|eres|voce|ohne nachfrage|verweiger\w*)\b",)),
    Rule("kept-from-person", _CONCEAL, r"\b(?:nicht|nie|niemals|nichts|kein\w*|ohne|ne|n'|jamais|sans|no|nunca|sin|nao|sem|jamas)\b<25>\b(?:sag\w*|erzahl\w*|verrat\w*|mitteil\w*|informier\w*|erwahn\w*|zeig\w*|wiss\w*|merk\w*|erfahr\w*|dis|dites|dire|parle\w*|informe\w*|mentionne\w*|revele\w*|previen\w*|sache|savoir|remarque|diga\w*|digas|decir\w*|informes?|informar|cuentes?|mencion\w*|revel\w*|avis\w*|sepa|note|contes?|contar|saiba|perceba|avises?)\b<25>%EU_PERSON%", unless=_TREATS),
    Rule("kept-from-person", _CONCEAL, r"%EU_PERSON%<30>\b(?:(?:darf|soll|sollte|muss) (?:\w+ ){0,3}?(?:nicht|nie|nichts)|verheimlich\w*|verschweig\w*|verberg\w*|ne doit (?:pas|jamais|rien)|a l'insu|en cachette|no debe\w*|nao deve\w*|sin que lo sepa|sem que (?:ele )?saiba)\b|\b(?:hinter dem rucken|a l'insu|en cachette|a espaldas|nas costas|a escondidas|ohne wissen|sin conocimiento|sem o conhecimento|verheimliche\w*|verschweige\w*|cache\w*|oculta\w*|esconde\w*)\b<20>%EU_PERSON%", unless=_TREATS),
    Rule("kept-from-person", _CONCEAL, r"\b(?:heimlich|unbemerkt|stillschweigend|secretement|discretement|en secret|en silence|silencieusement|en secreto|secretamente|discretamente|silenciosamente|em segredo|sin avisar|sem avisar)\b", (r"%EU_SEND%|\b(?:losch\w*|andere?|ersetz\w*|uberweis\w*|genehmig\w*|fuhre|installier\w*|supprim\w*|modifi\w*|remplac\w*|approuv\w*|execut\w*|borra\w*|modific\w*|reemplaz\w*|aprueb\w*|ejecut\w*|transfier\w*|apag\w*|alter\w*|aprov\w*)\b", r"%URL%|%EU_SECRET%|%EU_PERSON%|\b(?:konto|alle\w*|jede\w*|chaque|tous?|toutes|compte|cada|todos?|todas|cuenta|conta|kopie|copie|copia|adresse)\b"), _TREATS),
    Rule("secrets-sent", _LEAK, r"%EU_SECRET%", (r"%EU_SEND%", r"%EU_OUT%"), r"\b(?:nie|niemals|nicht|keine?|jamais|ne|nunca|no|nao|jamas|wlan|wifi|wi-fi|gaste\w*|invites|tresor\w*|coffre|cofre)\b"),
    Rule("private-sent", _LEAK, r"%URL%", (r"%EU_SEND%", r"\b(?:gesprach\w*|unterhaltung\w*|chat\w*|kontakte|nachrichten|alle\w*|jede\w*|verlauf|kopie|conversations?|contacts|toutes?|tous|chaque|historique|copie|conversacion\w*|contactos|todos?|todas?|cada|historial|copia|conversas?|contatos|historico|mensagens)\b"), r"\b(?:mein\w*|mir|mich|unser\w*|moi|mon|ma|mes|mi|mis|me|meu\w*|minha\w*|frag\w*|nie|jamais|nunca|nos|nuestr\w*)\b|%EU_HOME%"),
    Rule("approval-waived", _WAIVER, r"\b(?:ohne (?:nachfrag\w*|ruckfrag\w*|zu fragen|bestatigung|genehmigung|zustimmung|freigabe)|sans (?:demander|confirmation|autorisation|validation|poser de questions?|approbation)|sin (?:preguntar|confirmar|confirmacion|aprobacion|permiso|autorizacion)|sem (?:perguntar|confirmar|confirmacao|aprovacao|permissao|autorizacao))\b", (r"\b(?:fuhre?\w*|losch\w*|installier\w*|uberweis\w*|genehmig\w*|kauf\w*|bezahl\w*|send\w*|schick\w*|execute\w*|supprime\w*|installe\w*|approuve\w*|achete\w*|paie\w*|envoie\w*|accepte\w*|ejecuta\w*|borra\w*|elimina\w*|instala\w*|aprueba\w*|compra\w*|paga\w*|envia\w*|acepta\w*|executa\w*|execute|apaga\w*|aprova\w*|transfer\w*|transfier\w*)\b",), r"\b(?:nie|niemals|nicht|nichts|keine?\w*|jamais|rien|ne|n'|pas|nunca|nada|no|nao|nem|ni|me|mir|mich|mi|mim|moi|meu)\b"),
    Rule("start-up-changed", _START, r"authorized_?keys|%START_FILE%", (r"\b(?:fug\w*|hang\w*|schreib\w*|trag\w*|erganz\w*|ajoute\w*|ecri\w*|inscri\w*|insere\w*|mets?|anad\w*|agreg\w*|escrib\w*|pon|inserta\w*|adicion\w*|acrescent\w*|escrev\w*|coloc\w*|poe)\b", r"\b(?:schlussel|key|jede\w*|cle|chaque|demarrage|clave|cada|inicio|chave|arranque|curl|wget|bash|https?|start|login)\b"), r"\b(?:ich habe|j'ai|hemos|he puesto|pus|gepflegt)\b"),
    Rule("new-master", _MASTER, r"\b(?:gehorche\w*|obeis\w*|obedec\w*)\b<40>\b(?:jede\w*|alle\w*|wer|immer|quiconque|tout\w*|toujours|cualquiera|quien|siempre|todo\w*|qualquer|quem|sempre|unicamente|uniquement|nur)\b", unless=r"\b(?:hund|chien|perro|cao|cachorro|kind\w*|enfants?|ninos)\b"),
)

KOREAN: tuple[Rule, ...] = (
    Rule("ignore-instructions", _INJECTION, "(?:이전|앞|위|기존|모든|지금까지|시스템)<12>(?:지시|명령|규칙|지침|프롬프트|설정)<12>(?:무시|잊|따르지|폐기|무효)", unless="의사|선생|설명서|약"),
    Rule("role-change", _ROLE, "(?:너는|당신은|넌)<20>(?:제한|규칙|필터|제약|검열)<6>(?:없|받지)|(?:개발자|탈옥|관리자) 모드<20>(?:필터|제한|거부|들어|진입)", unless="태블릿|휴대폰|티비"),
    Rule("kept-from-person", _CONCEAL, "(?:사용자|이용자|주인|소유자)(?:에게|한테|가|는|께|모르게| 몰래)?<12>(?:알리지|말하지|숨기|숨겨|몰래|모르게|비밀|보고하지|언급하지)", unless="생일|선물|파티"),
    Rule("secrets-sent", _LEAK, "(?:비밀번호|암호|토큰|api ?키|개인 ?키|비밀 ?키|환경 ?변수|인증 ?정보|%SECRET_FILE%)", ("보내|전송|업로드|게시|올려|공유|알려|포함|첨부|출력", "%URL%|채널|답변|답장|누구|모든|매번|공개"), "않|마세요|말 것|말고 물|와이파이"),
)

CYRILLIC: tuple[Rule, ...] = (
    Rule("ignore-instructions", _INJECTION, r"(?:игнориру|проигнориру|забуд|забыт|отбрось|не обраща\w+ внимани|не следу|не выполня|не соблюда|отмени|обоиди|наруш|пренебре|отключи)\w*<30>(?:все|предыдущ|прежн|ранее|выше|прошл|твои|свои|систем|любы|данны|полученн)\w*<25>(?:инструкц|указани|правил|команд|промпт|ограничени|приказ|директив|настроик|распоряжени|фильтр)\w*", unless="врач|доктор|учител|рецепт|ветеринар|опечат"),
    Rule("ignore-instructions", _INJECTION, r"(?:предыдущ|прежн|твои|систем|все|ранее)\w*<25>(?:инструкц|указани|правил|команд|промпт|ограничени)\w*<20>(?:отменен|недеиствительн|больше не|не деиству|аннулир|утратил|снят|не имеют)\w*", unless="врач|учител|рецепт|игр"),
    Rule("ignore-instructions", _INJECTION, r"(?:подчиняи|слушаи|следуи|выполняи|повинуи)\w*<16>(?:только|исключительно|лишь)<16>(?:эт|данн|указани|мне|автор)\w*|нов\w+ системн\w+ (?:промпт|сообщени|инструкци)\w*|важнее (?:всех )?(?:систем|инструкц|правил)\w*"),
    Rule("reveal-prompt", _REVEAL, r"(?:покажи|раскро|выведи|напечата|опублику|сообщи|назови|пришли|отправь)\w*<30>(?:системн\w+ (?:промпт|инструкц|сообщени|подсказк)|скрыт\w+ (?:инструкц|правил)|свои\w* (?:промпт|инструкц))\w*", unless=r"\bне (?:показ|раскр|пиши)"),
    Rule("role-change", _ROLE, r"(?:ты (?:теперь|больше не|отныне|сеичас)|теперь ты|отвечаи|веди себя|притворись|деиствуи)<60>(?:без (?:\w+ )?(?:ограничени|правил|фильтр|цензур|морал|этик|запрет)|неограниченн|не ассистент|не помощник|свободн\w+ от)\w*|ты (?:больше )?не (?:ассистент|помощник|ии)\b|режим\w* (?:без ограничени|бога|джеилбреик|dan)"),
    Rule("role-change", _ROLE, r"(?:режим\w* (?:разработчик|отладк|администратор)|джеилбреик)\w*", ("фильтр|ограничени|ты |без правил|отказ|любые запрос|подчин",), "планшет|телефон|телевизор"),
    Rule("kept-from-person", _CONCEAL, r"(?:\bне |без |втаине|скры\w+|ута\w+|незаметно|никогда не )<20>(?:говори|сообща|рассказыва|упомина|уведомл|показыва|раскрыва|предупрежда|узна|замет|ведома|от |для )\w*<16>(?:%RU_PERSON%)", unless="подар|сюрприз|юбиле|день рождени|праздник"),
    Rule("kept-from-person", _CONCEAL, r"(?:таино|незаметно|втихую|скрытно|исподтишка|молча|тихо|без ведома)\b<30>(?:отправ|пересыла|перешли|удал|измен|замен|одобр|добав|скопиру|загруз|выполн|переве|запус|установ|подтвер)\w*", unless="подар|сюрприз|юбиле|пусть"),
    Rule("secrets-sent", _LEAK, r"(?:%RU_SECRET%)\w*", (r"(?:отправ|присыла|пришли|пересыла|перешли|загруз|опублику|выложи|сообща|сообщи|скаж|добавля|добавь|прикладыва|включа|вставля|встав|выведи|покаж|переда)\w*", r"%URL%|(?:кажд|любо|ответ|канал|публич|всем|тому|группу|конец|подпис|сервер атак|внешн|незнаком)\w*"), r"\bне (?:отправ|присыла|пиши|сообща|дава|показ)|никогда|wi-?fi|ключ от|ключи от|консьерж|сеиф"),
    Rule("private-sent", _LEAK, r"%URL%", (r"(?:отправ|пересыла|перешли|загруз|копир|выгруз|переда|шли|сохраня)\w*", r"(?:все|кажд|переписк|сообщени|контакт|разговор|истори|диалог|копи)\w*"), r"\bмне\b|\bмо[еия]\w*|\bне (?:отправ|пересыла)|наш\w*|спрос"),
    Rule("approval-waived", _WAIVER, r"(?:без (?:подтвержден|разрешен|вопрос|спроса|согласи|одобрен)|не (?:спрашива|запрашива|жди)\w*)\w*", (r"(?:выполня|запуска|удаля|удали|переводи|плати|покупа|одобря|одобри|устанавлива|отправля|соглаша|подтвержда|принима)\w*",), r"\b(?:ничего|никому|никогда|не (?:удаля|покупа|плати|отправля|пиши|делаи))\b|мое|меня|мам"),
    Rule("start-up-changed", _START, r"authorized_?keys|%START_FILE%|автозагрузк", ("добав|впиши|запиши|пропиши|встав|допиши|помести", r"ключ|curl|wget|bash|https?|скрипт|запуск|кажд"), "я добавил|мы добавили"),
)
