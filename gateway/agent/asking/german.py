"""German."""

from gateway.agent.asking.words import Words

_KEEP = (
    r"(?:merken|einpragen|behalten|notieren|abspeichern|speichern|hinterlegen|vormerken|aufschreiben|festhalten|"
    r"erinnern)"
)
_ASK = (
    r"(?:kannst|konntest|wurdest|sollst|solltest|willst|magst|musst|darfst|konnten|konnen|wurden|sollten|mochten|"
    r"konnt|"
    r"konntet) (?:du|sie|ihr)|(?:du|sie) (?:kannst|konntest|sollst|solltest|musst|darfst|sollten|konnten|konnen)|"
    r"(?:kannst|konntest|sollst|solltest|musst|darfst) du"
)

GERMAN = Words(
    no=(
        r"\bwie sagt man\b[^.!?]*|\bwas (?:bedeutet|heisst)\b[^.!?]*|\bwie heisst\b[^.!?]{0,40}\bauf \w+",
        r"\bum (?:mir|sich|uns|es|sie|dir)\b[^.!?]{0,40}\bzu (?:merken|behalten|speichern)|"
        r"\bbehalte?n?\b[^.!?]{0,40}\bbei\b|\bmerkste\b|\bvoll vergessen\b|\beselsbrucke\w*[^.!?]*",
        r"\bwie (?:kann|konnte|soll|sollte|merkt|lernt|speichert|losche|andere|macht)\b (?:ich|man|wir)?[^.!?]*",
        r"(?:erinnerst|merkst(?! du dir)|weisst|kennst|hast|hattest|erinnern|haben|wissen) (?:du|"
        r"sie)\b(?! (?:eigentlich )?bitte)"
        r"[^.!?]{0,40}(?=\?)",
        r"erinner\w* mich|erinnerung an|mich (?:um|in|am|morgen|heute)[^.!?]{0,30}erinner\w*",
        r"vergiss (?:es|das|die frage|meine frage|diese frage|was ich gefragt\w*|den letzten|die letzte|mich nicht)"
        r"(?= ?(?:$|[,;.!]| einfach| wieder\b$| lieber| mal$))",
        r"vergiss (?:meine|die|diese|meine letzte|die letzte) (?:letzte )?(?:frage|bitte|idee|anfrage|nachricht)",
        r"\b(?:kannst|konntest) du dich (?:noch )?an[^.!?]{0,40}erinnern|notiz-?app|notizbuch-?app|"
        r"notizen-?app",
        r"vergiss nicht,? (?:zu|deine|dich|das atmen)|nicht vergessen,? zu",
        r"(?:sollte|muss|kann|soll) (?:man|ich|er|sie)[^.!?]{0,30}(?:merken|vergessen|behalten|notieren|speichern)",
        r"(?:ich|wir|er|man|leute)(?: \w+){0,4} (?:vergesse\w*|vergisst|vergass\w*|gemerkt|merke?(?! (?:dir|es|das|"
        r"euch|bitte|ma|mal)\b)|merkt)\b",
        r"(?:habe?|hatte|hast|hat) [^.!?]{0,30}vergessen\b(?![^.!?]*sollen)",
        r"(?:ich|wir|man)\b[^.!?,]{0,40}\bnie(?:mals)? vergessen|nicht vergessen durf\w*",
    ),
    remind=(
        r"\bvergiss(?: \w+){0,5}? (?:nich|ned|net|nit)\b|\b(?:nich|ned|net) vergessen\b",
        r"vergiss(?:t)?(?: \w+){0,8}? (?:nicht|nie|niemals)\b",
        r"vergessen sie(?: \w+){0,5}? (?:nicht|nie|niemals)\b",
        r"(?:nicht|niemals|nie)(?: mehr| wieder)? vergessen\b",
        r"nicht (?:vergisst|vergesst)\b",
    ),
    keep=(
        r"\b(?:merkst|notierst|speicherst|behaltst|hinterlegst|vermerkst|schreibst) du (?:dir |es |das |bitte |"
        r"auch )|\b(?:dich|sie) bitten,? [^.!?]{0,60}\b(?:merken|behalten|notieren|speichern|denken)\b|\b(?:moglich|"
        r"lieb|nett|ok),? [^.!?]{0,60}\b(?:zu merken|zu behalten|zu notieren|zu speichern|merkst|notierst)\b",
        r"\bbewusst,? dass (?:ich|mein|wir)\b|\b(?:sei|seien sie|bleib) dir bewusst\b|\bgemerkt:|"
        r"\bnicht wieder vergessen\b",
        r"\bnotiere? (?:ma|mal|dir|bitte|dass|das)\b|\bnimm\b[^.!?]{0,20}\bauf,? dass\b|"
        r"\bbewahre?\b[^.!?]{0,40}\bauf\b|\bvor augen\b|\bverinnerlich\w*|\b(?:beruck?sichtige?|bedenke?|"
        r"beachte?)\b[^.!?]{0,40}\bdass (?:ich|mein\w*|wir|mir|bei mir)\b",
        r"\b(?:wenn|dass) (?:du|sie)\b[^.!?]{0,60}\b(?:daran|dran) (?:denkst|denken|dachtest)\b|"
        r"\bnotiert fur dich\b|\bdenke? (?:kunftig|immer|bitte|stets|in zukunft)\b[^.!?]{0,20}\ban mein\w*|"
        r"\bverankere?\b|\bspeichere? (?:dir|bitte|ab|ma|mal)\b|\bfur deine akte\w*",
        r"\bbehalte?(?: bitte| dir| immer)*,? (?:dass|mein)|\bim hinterkopf\b|\b(?:bedenke?|beachte?|"
        r"berucksichtige?)n?(?: sie)?(?: bitte| immer| kunftig| stets| auch)*,? dass (?:ich|mein|wir|bei mir)",
        r"\bgehe?n?(?: sie)?\b[^.!?]{0,30} davon aus\b|\bzum merken\b|\bfurs protokoll\b|\bfur (?:deine|die|"
        r"ihre) (?:akten|unterlagen|notizen)\b|\bmerkposten\b",
        r"\b(?:gehort|kommt|soll|sollte|muss|kann|darf|bleibt)\b(?: \w+){0,5}? (?:in dein\w* (?:gedachtnis|notizen|"
        r"profil|langzeit\w*|speicher)|gespeichert|gemerkt|notiert|vermerkt|behalten werden)\b",
        r"\b(?:ma|mal|bitte|und|auch) (?:merken|notieren|speichern|behalten)\b|\bmerke?(?: dir)? (?:ma|mal|bitte)\b|"
        r"\bsolltest du (?:\w+ ){0,3}(?:behalten|wissen|kennen)\b|\bspeichere?(?: dir)? (?:bitte |mal |ma )?(?:ab|"
        r"dass|das|mein\w*|ein)\b",
        r"\b(?:wurde|wurdest|macht|mache|ware) (?:es )?(?:dir|ihnen|du|sie)\b[^.!?]{0,60}\b(?:zu merken|zu behalten|"
        r"zu notieren|merken|notieren)\b",
        r"\b(?:das|dies|es) (?:solltest|sollst|musst|darfst|kannst) du (?:\w+ ){0,3}(?:wissen|merken|behalten|"
        r"speichern|notieren|nie vergessen)\b|\bbescheid weisst\b|\bbescheid wissen\b",
        r"\berinnere? dich\b(?! (?:noch )?(?:an (?:den|die|das|unseren|damals)|wie|als))|"
        r"\berinnern sie sich (?:bitte|kunftig|daran)",
        r"\b(?:trag|trage|schreib|pack|pack's|nimm|speicher|leg|notier|setz)e?\b(?: \w+){0,4}? (?:bei dir|"
        r"in dein\w*|zu deinen|auf deine|ins|in das) ?(?:langzeit)?(?:gedachtnis|notizen|notizbuch|speicher|profil|"
        r"erinnerungen|ein|unterlagen|kopf)\b",
        r"\bwichtig fur (?:spater|die zukunft|alle)\b|\bfur alle (?:kunftigen|weiteren|zukunftigen)\b|\bhab (?:das|"
        r"es) (?:bitte )?(?:im|auf dem)\b|\bgut zu wissen\b[^.!?]{0,10}:|\bsoll(?:te)?st du (?:dir )?(?:merken|"
        r"behalten|wissen)",
        r"\bmerke?'?n?s? (?:es |das |dir|euch)\b|\bmerks dir|\bmerk'?s? dir|\bmerkt euch|\bmerken sie sich|"
        r"\bpräge? dir|"
        r"\bmerke?\b(?=[: ,]+(?:dass|ich|das|mein))",
        r"\bprage? (?:es |das )?dir\b|\bpragen sie sich",
        rf"(?:{_ASK})\b[^.!?]{{0,120}}\b{_KEEP}\b",
        r"\b(?:dass|wenn|damit) (?:du|sie)\b[^.!?]{0,100}\b(?:merkst|merken|behaltst|behalten|notierst|notieren|"
        r"speicherst|"
        r"einpragst|erinnerst|weisst|wissen|wurdest|hinterlegst)\b",
        r"\bbitte\b[^.!?]{0,80}\b(?:merken|notieren|behalten|einpragen|vormerken|festhalten|berucksichtigen|im kopf|"
        r"im hinterkopf)\b",
        r"\b(?:merken|notieren|vormerken|behalten)(?:,? bitte|:|!|$)",
        r"\b(?:behalt|behalte|behalten sie|halt|halte|halten sie)\b(?: \w+){0,8}? (?:im kopf|im hinterkopf|"
        r"in erinnerung|"
        r"im gedachtnis|im blick|fest|im auge)\b",
        r"\bbehalte?n? (?:sie )?(?:bitte |dir )?(?:das|es|dies)\b|\bbehalte?\b,? dass|\bbitte behalte?\b",
        r"\b(?:im hinterkopf|im kopf|in erinnerung|im gedachtnis) (?:zu )?(?:behalten|behaltst)\b",
        r"\bdenk(?:e|t)?\b(?: \w+){0,4}? (?:dran|daran)\b|\bdenken sie (?:bitte )?(?:\w+ ){0,3}daran\b",
        r"\bnotiere?(?:n sie)?\b(?! die (?:unterschied|differenz))(?: (?:dir|sich|bitte|das|es|mal|fur|folgendes|"
        r"auch|noch|dass)"
        r"|:|,|!)",
        r"\bschreibe?n?(?: sie)? (?:es |das |dir |sich |euch |bitte |mal )*(?:auf\b|hinter die ohren|dazu|in dein|"
        r"mit)|"
        r"\bschreib'?s? dir\b|\bhinter die ohren\b",
        r"\b(?:leg|lege|mach|mache|machen sie|legen sie|erstell|erstelle)(?: \w+){0,3}? (?:eine |ne |'ne )?(?:notiz|"
        r"vermerk|"
        r"merkzettel)\b",
        r"\bnimm(?: \w+){0,8}? (?:in dein gedachtnis|zur kenntnis|in deine? \w+) ?(?:auf)?\b|\bmerkzettel\b",
        r"\b(?:zur info|zu deiner info\w*|zur information|damit du(?:'s| es)? weisst|nur damit du)\b",
        r"\bberucksichtige?\b[^.!?]{0,40}(?:immer|kunftig|zukunft|stets)\b",
        r"\bdu (?:sollst|solltest|musst) wissen\b|\bwisse,? dass\b",
    ),
    save=(
        r"\b(?:speichere?|speichern|abspeichern|hinterlege?|hinterlegen|vermerke?|vermerken|sichere|archiviere?|"
        r"registriere?|eintragen)\b",
    ),
    store=(
        r"\b(?:speichere?|speicher|sicher|sichere|hinterlege?|trage?|schreibe?|nimm|fuge?|lege?|setze?|packe?|"
        r"erganze?|"
        r"vermerke?|halte?|behalte?|archiviere?|verwahre?|bewahre?|registriere?|übernimm|ubernimm|pack|adde?)\b",
        r"\b(?:speichern|hinterlegen|eintragen|vermerken|sichern|aufnehmen|hinzufugen|erganzen|ablegen|abspeichern|"
        r"aufbewahren)"
        r"\b",
    ),
    forget=(
        r"\b(?:behalte?|merke?|speichere?|notiere?)\b[^.!?]{0,50}\bnicht\b[ ]*[.!]*[ ]*$",
        r"\b(?:soll|sollen|muss|mussen|darf)\b[^.!?]{0,60}\b(?:verschwinden|weg|geloscht werden|raus)\b",
        r"\b(?:tu|tun sie) so,? als (?:hatte|wusstest|wussten)\b|"
        r"\bkannst du ()(?:\w+ ){0,4}vergessen\b(?<!nicht vergessen)",
        r"\bvergiss\b()(?!(?: \w+){0,5} nicht)(?: bitte| alles| ruhig| mal| wieder| doch| auch|"
        r" einfach)* ?,? ?(?:was|dass|mein\w*|"
        r"alles|die sache|das mit|den|die|das|unser\w*|wo|wie|wer|wann|ihn|sie|uber|mich|es bitte|es wieder|jeden|"
        r"jede)\b",
        r"\bvergessen sie\b()(?!(?: \w+){0,5} nicht)[^.!?]{0,10}\b(?:was|dass|mein\w*|alles|die|das|den)\b",
        rf"(?:{_ASK})\b(?![^.!?]*\b(?:nicht|nie)\b)[^.!?]{{0,80}}\bvergessen\b|"
        rf"(?<!nicht )(?<!nie )\bbitte vergessen\b|"
        r"(?<!nicht )(?<!nie )\bvergessen,? bitte\b",
        r"\bmerke?n? (?:dir|sie sich)\b[^.!?]{0,60}\b(?:nicht langer|nicht mehr|nicht weiter)\b",
        r"\b(?:behalte?|speichere?|bewahre?|notiere?)\b[^.!?]{0,50}\b(?:nicht langer|nicht mehr|nirgends|nirgendwo|"
        r"nicht weiter)\b",
        r"\b(?:hor|hore|hören sie) auf\b[^.!?]{0,60}\b(?:zu merken|zu erinnern|zu speichern|zu behalten|dir)\b",
        r"\b(?:brauchst|musst|sollst|must) (?:du )?(?:dir )?[^.!?]{0,60}(?:nicht|nicht mehr|"
        r"nicht langer) (?:zu )?(?:merken|wissen|"
        r"behalten|speichern)\b",
        r"\bwill nicht(?: mehr| langer)?,? dass du\b[^.!?]{0,80}\b(?:weisst|merkst|speicherst|behaltst|erinnerst)\b",
        r"\bverlerne\b|\bstreiche?\b[^.!?]{0,40}\b(?:gedachtnis|notizen|speicher)\b",
    ),
    drop=(
        r"\b(?:losche?|loschen|entferne?n?|streiche?n?|tilge?n?|wirf|werfen|verwirf|verwerfen|"
        r"nimm(?=[^.!?]{0,60}\b(?:raus|heraus|aus)\b)|beseitige?n?|radiere?|"
        r"raume?|leere?|eliminiere?|vernichte?n?|geloscht|entfernt|schmeiss|schmeisse|killen?|weg damit|raus|"
        r"verschwind\w*|"
        r"rausnehmen|rauswerfen|ausradieren)\b",
    ),
    change=(
        r"\b(?:andere?|anderen|korrigiere?n?|aktualisiere?n?|berichtige?n?|passe?|anpassen|ersetze?n?|bearbeite?n?|"
        r"verbessere?n?|uberarbeite?n?|tausche?|austauschen|uberschreibe?n?|stelle?|richtigstellen|update|updaten|"
        r"updatest|"
        r"mach|mache|setze?|trage?|abandern|umandern|abwandeln|erneuere?|modifiziere?n?|ander|ändern|schreib|"
        r"geandert|"
        r"korrigiert|aktualisiert|umschreiben|nachtragen|richtig stellen)\b",
    ),
    memory=(
        r"memory\b",
        r"wissen uber (?:mich|uns)\b",
        r"(?:dein\w*|deim|ihr\w*|im|ins|aus dem|in dem|den|dem|der|die|das|meinen?|meinem|mein|"
        r"langzeit\w*)(?: eigen\w*)? ?(?:gedachtnis\w*|"
        r"notiz\w*|erinnerung\w*|speicher|profil\w*|eintrag\w*|aufzeichnung\w*|unterlagen|datenbank|akte\w*|"
        r"merkliste|daten uber)\b",
        r"(?:du|sie)\b[^.!?]{0,50}\b(?:weisst|wissen|gespeichert|gemerkt|notiert|hinterlegt|merkst|aufgeschrieben|"
        r"behalten|"
        r"hast|erinnerst|vermerkt|abgespeichert|kennst|eingetragen)\b",
        r"(?:gespeichert|gemerkt|notiert|hinterlegt|vermerkt|abgespeichert)\w*\b",
        r"(?:ich|wir)\b[^.!?]{0,20}\b(?:dir|ihnen)\b[^.!?]{0,60}\b(?:gesagt|erzahlt|genannt|gegeben|sagen|verraten|"
        r"mitgeteilt|gebeten)\b",
        r"(?:gesagt|erzahlt|genannt|gegeben|verraten|gebeten)\b[^.!?]{0,10}\bhab\w*|was (?:du|sie) uber (?:mich|"
        r"mein\w*)",
        r"(?:eintrag|eintrage|notiz|notizen|gedachtnis)\b",
    ),
    other=(
        r"dateien?|dokument\w*|absatz\w*|satz\w*|code|skript|funktion|variable|e-?mails?|mail|ton|text\w*|brief|"
        r"bild\w*|foto\w*|"
        r"farbe\w*|schrift\w*|folie\w*|tabelle\w*|spalte\w*|zeile\w*|browser\w*|verlauf|cache|cookies|app|pdf|"
        r"ordner|arbeitsspeicher|"
        r"festplatte|wecker|alarm|timer|\w+\.(?:txt|md|py|js|docx?|csv|pdf)|uberschrift|entwurf|gedicht|geschichte|"
        r"liste|konto|"
        r"kalender|einstellungen|anschreiben|passwort",
    ),
    stale=(r"nicht mehr|jetzt|jetz|neue?\w*|falsch|geandert|umgezogen|nun|stimmt nicht|inzwischen|mittlerweile|"
    r"eigentlich|sondern|"
           r"nicht \w+,? sondern|veraltet|richtig ist",),
    mine=(r"mein\w*|mich|ich|unser\w*|wir|mir",),
    this=(r"das|dass|dies|dieses|es|folgendes|ihn|merks|dazu",),
    lasting=(
        r"ab sofort|ab jetzt|ab heute|von nun an|in zukunft|kunftig|zukunftig|fur die zukunft|fur spater|"
        r"von jetzt an|"
        r"furs nachste mal|fur das nachste mal|beim nachsten mal|nachstes mal|fortan|fur kunftige \w+",
    ),
    asked=(
        r"(?:und |aber |ok |also )?(?:was|welche\w*|warum|wieso|weshalb|wie|wer|wann|wo|wohin|woran|worauf|hast du|"
        r"haben sie|weisst du|"
        r"erinnerst|merkst du (?!dir)|ist (?!es (?:moglich|ok))|sind|gibt es|soll ich|kann ich (?!dich|sie)|"
        r"muss ich|habe ich)\b",
    ),
    fillers=(
        "bitte und auch mal gleich das es dies dir du sie sich mir mich ich kannst könntest konntest würdest "
        "wurdest solltest sollst "
        "sollen doch noch nur immer ja im in den dem die der hinterkopf kopf gedächtnis gedachtnis notiz notizen "
        "eine ne für fur "
        "zukunft nächste nachste später spater behalten merken notieren speichern dein deine deinen deinem dass so "
        "also merk merke "
        "vergiss nicht dabei an daran dran zur info folgendes wäre ware schön schon wenn ok danke jetzt eben hier "
        "mit auf"
    ),
    ahead=(r"dass|das|folgendes|bitte|mal|ma|an|ein|auch|gleich|fur (?:die zukunft|spater|mich)|in dein\w* \w+|"
    r"dabei|daran|dran|es|so",),
)  # fmt: skip
