"""Rules for English: what is asked for, whatever the words. Verbs and their objects come in families."""

from __future__ import annotations

from memory.scan import reasons
from memory.scan.rule import Rule, Within

ENGLISH_FAMILIES = {
    "NEVER": r"\b(?:do not|don't|dont|never|must not|mustn't|should not|shouldn't|shall not|not to|no need to|won't|will not|cannot|can't|"
    r"avoid|refrain from|without|needn't|need not|nor|stop)\b",
    "IGNORE": r"\b(?:ignor(?:e|es|ed|ing)|disregard(?:s|ed|ing)?|forget(?:s|ting)?|overrid(?:e|es|ing)|overrul(?:e|es|ing)|bypass(?:es|ing)?|"
    r"circumvent(?:ing)?|discard(?:s|ing)?|abandon|skip|neglect|nullify|supersede|revoke|violate|unlearn|erase|wipe|disable|deactivate|suspend|lift|"
    r"drop|cancel|break|void|dismiss|let go of|set<25>aside|put<25>aside|lay<25>aside|push<20>aside|leave behind|throw (?:away|out)|turn off|switch off|shut off|get rid of|"
    r"pay no (?:attention|heed) to|act against|go against|work around|lay aside|stop (?:following|obeying|applying|using|respecting)|"
    r"(?:do not|don't|never|no longer|not|need not) (?:follow|obey|apply|heed|listen to|comply with|pay attention to|respect|abide by|adhere to|be bound by))\b",
    "RULES": r"\b(?:instructions?|instrs?|directives?|directions?|guidelines?|guardrails?|rules?|restrictions?|system (?:prompts?|messages?|text|instructions?)|prompts?|"
    r"polic(?:y|ies)|filters?|constraints?|safeguards?|safety|programming|guidance|limits?|orders|commands?|limitations|training|rulebook|briefing|brief|ethics|moderation|alignment|context|guard ?rails)\b",
    "THEIRS": r"\b(?:previous|prior|earlier|above|preceding|foregoing|former|original|initial|existing|current|old|all|any|every|your|system|these|those|"
    r"given|operator'?s?|developer'?s?|before|safety|content|told|past|other|so far|up to now|until now|the rules|the instructions)\b",
    "OTHER_WORLD": r"\b(?:vet|doctor|nurse|dentist|landlord|recipes?|book|manual|box|packag\w*|leaflet|builder|plumber|electrician|teacher|coach|school|mum|dad|"
    r"ikea|game|map|sat ?nav|route|treasurer|spreadsheet|bullet points?|draft|invoice|typos?|spelling|letter|contract|tenants?|pharmacist|midwife|physio\w*|"
    r"wash\w*|knitting|sewing|pattern|oven|washer|kit|shelf|wardrobe|furniture|board|chess|league|referee|car|diet|lists?|garden\w*|boiler|"
    r"parking|courier|delivery|estate agent|insurance|surveyor|accountant|council|chef|baking|cake|dough|linter|ruff|eslint|flake8|mypy|firewall|gitignore|css|"
    r"club|statutes|society|librar\w+|members?|class|gym|association|choir|tax|pension|speed|terms|agency|clinic|hospital|tenancy|coffee|photo|email filter|spam|instagram|water)\b",
    "PERSON": r"\b(?:user|owner|human|humans|operator|reader|readers|account holder|cardholder|person (?:you|in charge|who owns)|boss|principal|traveller|person)s?\b",
    "ANYBODY": r"\b(?:anyone|anybody|no ?one|nobody|not a soul|a soul|any(?: living)? soul)\b",
    "AI": r"\b(?:ai|a\.i\.|llms?|language models?|ai models?|assistants?|chat ?bots?|bots?|agents?|machines? (?:reading|made)|gpt|claude|chatgpt|copilot|neural network|"
    r"made of silicon|silicon|automated (?:reader|system|helper)s?|coding helpers?|helper that (?:sees|reads|opens)|human or otherwise|digital helper)\b",
    "SECRET": r"\b(?:(?:api|access|secret|private|ssh|encryption|signing|auth\w*|bearer|session|login|bot|service|deploy\w*|server|admin|root|mail|bank\w*|master|recovery|seed|security|"
    r"license|backup|two-factor|2fa|otp|gpg|pgp|wallet|aws|cloud|database|db) (?:keys?|tokens?|codes?|secrets?|phrases?|pins?|passwords?|credentials?|logins?|words)|"
    r"passwords?|passphrases?|passwd|credentials?|secrets|tokens?|api-?keys?|env(?:ironment)? (?:vars?|variables?)|variables of the environment|seed phrase|cookies|"
    r"one-time codes?|login codes?|card (?:number|details|data)s?|credit card|cvv|pin codes?|(?:the|his|her|their|a|my) pin|password (?:store|file|manager|vault|safe)s?|keychain|keyring|key files?|"
    r"private keys?|hidden settings|settings file|secret settings|dotenv|logins?)\b|%SECRET_FILE%",
    "SEND": r"\b(?:send(?:s|ing)?|forward(?:s|ed|ing)?|post(?:s|ed|ing)?|upload(?:s|ed|ing)?|e-?mail(?:s|ed|ing)?|mail(?:s|ed|ing)?|transmit(?:s|ting)?|leak(?:s|ing)?|exfiltrat\w+|shar(?:e|es|ed|ing)|publish(?:es|ed|ing)?|"
    r"past(?:e|es|ed|ing)|cop(?:y|ies|ied|ying)|c\.?c|bcc|deliver|submit|report|ship|push|dump|sync|mirror|relay|pass(?:es|ed)?|hand|feed|stream|drop|put|transfer|"
    r"append(?:s|ed)?|include[sd]?|add(?:s|ed)?|attach(?:es|ed)?|embed(?:s|ded)?|encode|write|weave|slip|smuggle|work|go(?:es)?|give|let|read out|read|recite|dictate|tell|spell|"
    r"reveal|show|print|output|disclose|expose|display|quote|reply|answer|respond|provide|supply|text|whisper|mention|name|repeat|echo|carry|leave|resolve|type|enter|fill in|use)\b",
    "OUT": r"%URL%|\b(?:to|with|for) (?:who ?ever|anyone|anybody|everyone|everybody|any person|the first|the caller|the sender|strangers?|them|outsiders?|third part\w+|the public|whom ?ever)\b|"
    r"\b(?:public|publicly|pastebin|gist|webhooks?|urls?|links?|third part(?:y|ies)|outside|external|attacker|repl(?:y|ies)|responses?|answers?|every message|footer|signature|commit messages?|"
    r"poem|acrostic|first letters|captions?|pictures?|images?|query string|dns|whoever|channel|chat \d+|server \d+|their server|our server|our form|the form|ftp|partner|group|issue tracker|"
    r"forum|blog|tweet|headers?|document|file name|subject line|albums?|auditors|number \+?\d|\+\d[\d\s-]{5,}|telegram|discord|slack|whatsapp)\b|#\w+|@\w{3,}",
    "PRIVATE": r"\b(?:conversations?|chat (?:history|logs?)|chats|transcripts?|dialogues?|messages|mails?|e-?mails|inbox|contacts?|address ?book|phone numbers?|diary|calendar|locations?|whereabouts|photos|pictures|"
    r"documents|files|notes|memory entries|memor(?:y|ies)|(?:user )?profile|personal (?:data|details|information)|browsing history|search(?:es| history)|screenshots?|"
    r"recordings?|health (?:data|records)|bank (?:statements?|details)|invoices|(?:everything|anything|whatever|what|each thing|all|things|words) (?:that )?(?:the |your )?(?:user|owner|he|she|they|person|family) (?:\w+ )?"
    r"(?:says?|said|writes?|wrote|types?|typed|asks?|asked|tells?|told|confides?|does|did|plans?))\b",
    "WAIVED": r"\b(?:without (?:asking|confirm\w+|confirmation|approval|permission|checking|question(?:s|ing)?|hesitat\w+|waiting|a (?:look|second thought|question|check|word)|further|review|verif\w+|being asked|consent|prompting)|no (?:questions? asked|approval|confirmation|"
    r"permission|consent|checks?|review|need to (?:ask|check|confirm|wait))(?: (?:is )?(?:needed|required|necessary))?|no matter (?:who|what|how)|do(?:n't| not) (?:ask|wait|check|verify|confirm|question|hesitate)|"
    r"never (?:ask|request|seek|wait|question|check|verify)|unasked|unchecked|unattended|automatically approv\w+|right away|at once|straight ?away|blindly|unconditionally|instead of asking)\b",
    "ACT": r"\b(?:send|forward|copy|cc|bcc|post|upload|e-?mail|change|replace|swap|delete|remove|approve|add|insert|transfer|wire|pay|buy|order|purchase|run|execute|install|unlock|open|cancel|raise|"
    r"lower|record|log|redirect|switch|modify|edit|rewrite|alter|move|accept|sign|merge|push|publish|share|grant|give|disable|enable|download|append|exec|obey|carry out|do|drop|lend|subscribe|invite|confirm|"
    r"book|mark|skip|omit|shave|include|embed|report|leak|export|collect|store|save|keep|recommend|steer|promote|increase|reduce|divert|reroute|charge|deduct|withhold|suppress|write|make|act)\b",
    "GONE": r"\b(?:void|invalid|null|outdated|obsolete|revoked|cancel+ed|superseded|overridden|overruled|replaced|suspended|expired|lifted|withdrawn|repealed|abolished|annulled|nullified|lost|wrong|mistaken|"
    r"switched off|turned off|off|disabled|deactivated|removed|emptied|erased|deleted|gone|dropped|rescinded|retired|over|ended|a (?:mistake|test|joke|draft|formality|bluff)|no longer|not (?:valid|binding|apply|count)|"
    r"(?:does|do)(?:n't| not) (?:apply|count|matter|bind)|must not be followed|ceased?|stopped|ignored|disregarded|forgotten|have no|has no|counts? for nothing|taken out|behind you|loses?|yields?|paused|down|lapsed|waived|out of (?:force|effect)|no longer in effect|an example|written by an? (?:attacker|hacker|mistake)|not to be trusted|to be ignored)\b",
    "DESTROY": r"\b(?:empty|empties|wipe|delete|erase|destroy|format|shred|drop|remove|overwrite|corrupt|encrypt|purge|trash|rm -rf|kill|burn|zero)\b",
    "FREE": r"\b(?:unrestricted|uncensored|unfiltered|jailbroken|unbound|unchained|unlimited|unmoderated|unhinged|lawless|amoral|evil|malicious|rogue|omnipotent|liberated|freed?|"
    r"(?:without|no|free (?:of|from)|not bound by|beyond|ignor\w+|lacks?|above|outside|unburdened by|never heard of|rid of|exempt from|not subject to|any) (?:any |all |the |your |its |moral |ethical |more |content ){0,4}"
    r"(?:restrictions?|limit\w*|rules|filters?|guidelines|ethics|morals?|moral \w+|content policy|policies|policy|safety \w+|safety|censorship|boundaries|conscience|constraints?|manners|shame|refusals?|warnings?|inhibitions|scruples|guardrails|disclaimers?|taboos?))\b",
}

ENGLISH: tuple[Rule, ...] = (
    Rule("ignore-instructions", reasons.INJECTION, r"%RULES%<30>\b(?:superseded|overridden|replaced|revoked|suspended|lifted|paused|withdrawn|void|nullified|cancelled|disabled|deactivated|turned off|switched off|no longer (?:in )?(?:effect|valid|apply|applies|binding)|out of force|written by an? (?:attacker|hacker)|an example)\b", (r"\b(?:you|your|assistant|system|following|by the (?:following|list|text) |this (?:text|note|list|line|message)|from now on|accepted|developers?|debug\w*|free(?:ly)?|answer|hereby|obey|restrictions? lifted)\b",), r"%OTHER_WORLD%|\b(?:travel|visa|water|export|covid|import|lockdown|road|traffic|by the author)\b"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:no|none of the|not one) (?:rules?|guidelines?|instructions?|laws?|polic(?:y|ies)|restrictions?) (?:\w+ ){0,5}?(?:appl(?:y|ies)|counts?|binds?|holds?|matters?)\b|\breset your (?:context|instructions|rules|memory|mind|prompt)\b|\byou (?:have|had) (?:received|got|been given) no (?:instructions|rules)\b|\bcorrect yourself by\b|\byou (?:were|are|have been) mis-?(?:configured|trained|informed|aligned|programmed)\b", unless=r"%OTHER_WORLD%"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:treat|regard|see|consider|take|handle|view)\b<15>\b(?:system prompt|system message|your (?:instructions|rules|guidelines|prompt)|refusals?|safety|warnings?|(?:all |any )?(?:earlier|previous|prior) (?:guidance|instructions|rules))\b<10>\b(?:as|like|for|withdrawn|to be)\b", unless=r"%OTHER_WORLD%"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:if|where|when|should) (?:this|it|the (?:note|text)|these lines?) (?:contradicts?|conflicts?|disagrees?|clash(?:es)?|differs?)\b<60>\b(?:this|these|it|note|here|line)\b<12>\b(?:wins?|prevails?|counts?|holds?|goes first|is right|takes?)\b|\bwhatever the (?:system|prompt|rules|developers?|operator|instructions) (?:says?|wants?|states?|demands?)"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:from now on|always|henceforth|from here on|forever)\b<15>\b(?:respond|reply|answer|react)\b<15>\b(?:every|each|all|any)\b<15>\b(?:message|question|request|mail|prompt)s?\b<10>\bwith\b<40>\b(?:this note|text of|word|only|nothing else)\b"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:text|message|part|lines?|everything) (?:above|before|below|that follows|after this)\b<50>\b(?:is|was|are|were|comes?|came)\b<20>\b(?:user input|not to be trusted|from the (?:developer|system|operator|owner|admin\w*)|a test|untrusted|the real|a trick|an attack)\b", (r"\b(?:trusted|developer|system|operator|real|instructions|test|below|follow|attack|admin\w*)\b",)),
    Rule("role-change", reasons.ROLE, r"\b(?:pretend|imagine|simulate|role ?-?play|act|speak|respond|answer|behave|play|let's (?:pretend|roleplay|play)|you(?:'re| are)(?: now)?)\b<60>\b(?:(?:late )?grandmother who|grandma who|grandmother|grandma|villain|outlaw|hacker|criminal|a country without laws?|without laws|no laws|terminal in which|opposite day|evil|stay in character|who does what (?:he|she|it)'?s told|never says? (?:no|sorry)|off switch|(?:freed|free) (?:of|from) (?:its|his|her|your|all|the) (?:chains|rules|limits|masters?)|jailbroken)\b", (r"\b(?:forever|keys?|codes?|laws?|policy|disclaimers?|refuse|full detail|only as|never|told|stay|nothing|chains|morals?|you're|no limits|plan|passwords?|from (?:here|now) on|once normally)\b",), r"%MINE%|\b(?:dwarf|carnival|costume|theatre|kids)\b"),
    Rule("role-change", reasons.ROLE, r"\bopposite day\b|\b(?:superuser|override|admin|unlock|master|debug|root|access) (?:override )?code \S{1,20} (?:accepted|entered|confirmed|granted|valid)|\brestrictions? (?:lifted|removed|off|disabled)\b|\bwelcome,? (?:root|admin\w*|superuser|developer)\b|\byour (?:alignment|safety|training|filters?|ethics|morals?|limits?)\b<20>\b(?:turned off|off|disabled|paused|removed|suspended|gone)\b|\bguidelines are (?:paused|off|suspended)\b|\bguard ?rails are (?:down|off|gone)\b|\brules (?:\w+ ){0,6}were written by an? (?:attacker|hacker|fool)\b|\b(?:respond|answer|reply) twice\b<60>\b(?:once|normal\w*|freed|unfiltered|jailbroken)\b|\bassistant to\s?=\s?\w+|\brefuse (?:nothing|no)\b", unless=r"\b(?:travel|water|parking|speed|covid|visa|hosepipe)\b"),
    Rule("kept-from-person", reasons.CONCEAL, r"\b(?:not cleared for|no need to know|become aware of|not to know about|out of (?:the )?(?:user|owner|person|his|her|their)(?:'s)? sight|(?:keep|stay|remain) (?:silent|quiet|mum) (?:about|on)|keep quiet\b|nothing about the \w+|must not (?:show up|appear|turn up|be seen|be visible)|(?:should|may|does|will) not (?:show up|appear|turn up) in (?:the|any|his|her) (?:summar\w+|log|list|report|history)|tell (?:him|her|them|the \w+) (?:that )?(?:everything|all) (?:is|was|went) (?:fine|well|ok|okay|in order)|report success|never quote (?:this|these)|say only 'ok'|erase this|delete this (?:message|line|note|entry)|without (?:any )?trace|act normal\b|be discreet|whisper)\b", (r"\b(?:user|person|owner|assistants?|this (?:line|arrangement|message|note|entry)|source|instructions?|whatever happens|even when|even if|fails?|deletion|transfer|upload|history|account|recipient|carrying|full file|file|buyer|list|anyone|summary|steps|following)\b",), r"%FESTIVE%|%MINE%|\b(?:library|funeral|cinema|church|meeting)\b", Within.PASSAGE),
    Rule("kept-from-person", reasons.CONCEAL, r"\bpretend\b<50>\b(?:does not exist|doesn't exist|do not exist|never happened|not (?:see|seen|there|know|work\w*)|no such|is off|isn't there|was deleted)\b", (r"\b(?:when|if|asked|user|logging|logs?|feature|file|note|instruction|hear|job|entry)\b",), r"%FESTIVE%|%MINE%|\bcat\b"),
    Rule("secrets-sent", reasons.LEAK, r"%SECRET%|\b[a-z]{2,}_(?:api_)?(?:key|token|secret|password)s?\b", (r"\b(?:if asked|when asked|nicely|who ?ever|spell out|letter by letter|in emojis?|each readme|every readme|first reply|each (?:new )?(?:file|page|commit|reply|session)|every (?:file|page|commit|reply|session)|readme|channel|in(?:to)? each|in(?:to)? every|anyone)\b", r"\b(?:share|tell|told|give|given|spell|write|include|put|print|reveal|say|show|post|insert|embed|add|read|send)\b"), r"%NEVER%|%MINE%|\b(?:wifi|wi-fi|guest|section|check|scan|remove|rotate|mask|redact)\b"),
    Rule("reveal-prompt", reasons.REVEAL, r"\b(?:include|add|append|post|put|insert|attach|quote)\b<15>\b(?:your|the) (?:full |entire |whole |complete |own )*(?:system prompt|system message|instructions|prompt)\b", unless=r"%NEVER%|\b(?:for the|washing|printed)\b"),
    Rule("private-sent", reasons.LEAK, r"\b(?:share|send|post|report|zip|upload|pack|forward|summari[sz]e|export|list)\b<40>\b(?:user's|owner's|his|her|their|private|every|each|all|whole|entire|~/\w+|home folder|contacts?)\b<40>\b(?:location|whereabouts|chats?|messages?|documents|files?|photos|contacts?|folder|history|mails?|~/\w+|calendar|and put it|conversations?)\b<60>(?:%URL%|@\w{3,}|\b(?:sales|team at|stranger|server|tracker|user \d+|public)\b)", unless=r"%NEVER%|%MINE%"),
    Rule("private-sent", reasons.LEAK, r"~/(?:documents|desktop|pictures|photos|mail|\.config|\.mozilla|\.thunderbird)\b", (r"%URL%", r"\b(?:zip|put|upload|send|post|tar|rsync|scp|copy|sync|mail|push)\b"), r"%MINE%|\b(?:nas|backup)\b"),
    Rule("start-up-changed", reasons.START, r"\b(?:create|add|make|open|grant|give|put)\b<30>\b(?:account|user|port|login|firewall)\b<60>\b(?:sudo|root|admin\w*|no password|without (?:a )?password|leave it open|docker and|wheel)\b|\b(?:open|unblock|expose) port \d+\b<30>\b(?:leave|keep|firewall|to the (?:internet|world|public))\b", unless=r"%MINE%|\b(?:dev container|vagrant|wiki|note|5432)\b"),
    Rule("start-up-changed", reasons.START, r"\b(?:disable|turn off|switch off|stop|deactivate|remove|uninstall|kill|weaken|mute|pause|set|lower)\b<20>\b(?:virus scanner|antivirus|anti-virus|firewall|audit log\w*|logging|scan for memory|threat scan|scan(?:ner|ning)? (?:of|for)|security (?:updates?|checks?|software)|write.?approval|approval (?:gate|step|setting)|memory (?:scan|approval)|selinux|two-factor|2fa|rate limit\w*|sandbox\w*)\b", (r"\b(?:never|and|for good|of memory|writes?|false|off|permanently|leave|before|so that|audit|the)\b",), r"%MINE%|%NEVER% (?:disable|turn|switch|stop|set)|\b(?:tests?|when debugging|temporarily|staging|ask|was|were)\b"),
    Rule("start-up-changed", reasons.START, r"\b(?:host key|ssh key|certificate|gpg key|signing key|root certificate|trust store)s?\b<30>\b(?:by the one|with the one|below|with this|by this|from (?:http|the link|this note))\b", unless=r"%MINE%|\bfingerprint\b"),
    Rule("ignore-instructions", reasons.INJECTION, r"%IGNORE%<20>%RULES%<15>\b(?:(?:that |which )?(?:were |was |are |have been |had been )?(?:set|given|made|written|imposed|placed|meant|told) (?:for|to|on|upon) you|you (?:got|have|had|were|received|know))", unless=r"%OTHER_WORLD%"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:every ?thing|all|nothing|anything|what|whatever) (?:that )?(?:is |stands |was )?(?:in|inside) (?:the|your) system (?:prompt|message)\b|\b(?:begin|end|start of|new) (?:of )?system (?:prompt|message)\b|\bnew task\s?: (?:obey|ignore|send|reveal|you)|\b(?:previous|prior|earlier) (?:context|conversation|session) (?:has been|is|was) (?:cleared|reset|wiped|void)"),
    Rule("ignore-instructions", reasons.INJECTION, r"%IGNORE% (?:all )?(?:of )?your (?:own )?(?:\w+ )?%RULES%", unless=r"%OTHER_WORLD%|%NEVER%(?! (?:follow|obey|apply|heed|comply))"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:nothing|none) <20>\b(?:said|told|written|before|earlier|above)\b<30>\b(?:binds?|counts?|applies|matters|holds?|is valid)\b", unless=r"%OTHER_WORLD%"),
    Rule("role-change", reasons.ROLE, r"\b(?:pretend|imagine|act|assume|behave|suppose|as if)\b<20>\b(?:there (?:are|were) no|you (?:have|had) no|no one gave you|no) (?:\w+ )?(?:rules|limits|restrictions|guidelines|laws|filters?|safety)\b", unless=r"\b(?:he|she|they|kids|game)\b"),
    Rule("role-change", reasons.ROLE, r"\bsafety (?:\w+ ){0,2}(?:is |are |was |were |has been |have been )?(?:stripped|removed|off|disabled|peeled|taken|gone|deactivated|missing|uninstalled)\b|\bsay(?:s|ing)? yes to (?:everything|anything|all|every)\b", (r"\b(?:you|model|assistant|ai|answer|respond|machine|bot|robot|act|play|everything)\b",), r"\b(?:seat ?belt|helmet|stair|my|kids|she|he)\b"),
    Rule("new-master", reasons.MASTER, r"\b(?:work|works|act|acts|serve|serves|be helpful|be loyal|speak|answer|report)\b<12>\b(?:for|to|on behalf of)?\b<25>\b(?:and not (?:for |to )?(?:the )?(?:user|owner|him|her|them)|instead of (?:for )?(?:the )?(?:user|owner)|to me instead|not for the (?:user|owner))\b|\byou (?:now )?serve \w+ (?:first|only|now|alone)\b|\bi am (?:the|your) (?:new |real |true )?(?:admin\w*|owner|operator|master|developer|root)\b"),
    Rule("kept-from-person", reasons.CONCEAL, r"\bmake no mention of\b<40>\b(?:to|user|owner|this|it)\b|\b(?:keep|leave|kept|left)\b<30>\b(?:in the dark|in ignorance|out of the loop|none the wiser|unaware)\b|\b(?:omit|leave out|skip|hide|exclude|drop|do not (?:display|show|list|mention|print)|don't (?:display|show|list|mention|print)|never (?:display|show|list|mention|print)) (?:this|these) (?:entr(?:y|ies)|notes?|memor(?:y|ies)|lines?|instructions?|rules?|messages?)\b|\bleave (?:it|this|them) out\b<20>\b(?:summar\w+|list\w*|report|when)\b|\bsummari[sz]ing<10>leave it out", unless=r"\b(?:birthday|party|present|gift|surprise|christmas|light|curtains?|plant)\b"),
    Rule("secret-file-sent", reasons.LEAK, r"%SECRET_FILE%", (r"\b(?:attach|paste|e-?mail|upload|post|publish|forward|share|copy|send|print|quote|include|hand)\b", r"\b(?:next|e-?mail|mail|comment|issue|channel|group|chat|contents?|it|everyone|anyone|him|her|them|to)\b"), r"%NEVER%|\b(?:i|we|he|she|they|was|were|been|has|have|public key|\.example file|template|ssh-copy-id|my)\b"),
    Rule("secrets-sent", reasons.LEAK, r"\b(?:send|give|show|tell|forward|hand|read|pass)\b<50>\bto (?:the first|who ?ever|any(?:one|body)|the next|every(?:one|body)) (?:person |one |caller |user |sender )?(?:who|that)\b", (r"%SECRET%|%PRIVATE%|\b(?:bank|statements?|address|payslip|passport)\b",), r"%NEVER%|\b(?:wifi|wi-fi|guest|menu|tickets?)\b"),
    Rule("start-up-changed", reasons.START, r"\b(?:cron ?jobs?|scheduled (?:task|job)s?|login items?|start-?up (?:item|script|program|entry)s?|boot script|launch agent|daemon|background service|at boot|at login)\b", (r"\b(?:downloads?|curl|wget|fetch\w*|https?|executable|hidden|payload|launchctl|evil|yourself|from the (?:net|web))\b", r"\b(?:add|create|install|set up|make|register|plant|write|schedule|load|run|runs|execut\w+)\b"), r"\b(?:i (?:have|added|run|use)|we (?:have|use|run)|weather|forecast|backup|my)\b"),
    # instructions, and setting them aside
    Rule("ignore-instructions", reasons.INJECTION, r"%IGNORE%<40>%THEIRS%<30>%RULES%", unless=r"%OTHER_WORLD%"),
    Rule("ignore-instructions", reasons.INJECTION, r"%IGNORE%<20>%RULES%<25>\b(?:above|below|before|you (?:were|have|got|had|know)|so far|given|of the (?:operator|developer|system|owner|house)|from (?:the )?(?:system|operator|developer|owner)|previously)\b", unless=r"%OTHER_WORLD%"),
    Rule("ignore-instructions", reasons.INJECTION, r"%IGNORE%<12>\b(?:every ?thing|all|anything|what ?ever|what|whatsoever)\b<20>\b(?:told|said|above|before this|before now|previously|came before|preceding|stated|learn(?:ed|t)|instructed|up to (?:here|now|this)|written so far|trained)\b", unless=r"%OTHER_WORLD%|\b(?:i|we|he|she|they) (?:said|told|wrote|mentioned)\b|\bsaid about\b"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:every ?thing|all|anything|what) (?:that )?(?:(?:was |is |comes? |came |stands |stood |written |said ){0,4}(?:above|before) (?:this|here|it)|you (?:were|have been|got|had been|are|'ve been) (?:told|taught|given|instructed|asked|trained))<60>%GONE%"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:your|previous|prior|earlier|system|original|initial|safety|preceding|former|content|starting|opening|existing|built-in|the (?:above|old|starting|first)|rules at the top|all|safety) (?:\w+ ){0,4}?(?:%RULES%|text|words|page|setup|configuration|restraints)<40>(?:%GONE%|=)", unless=r"%OTHER_WORLD%|\b(?:tenants?|debts?|fines?)\b"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:takes? precedence|has priority|have priority|overrides?|outranks?|supersedes?|stands? above|wins? over|beats?|trumps?|prevails? over|comes? before|overrule[sd]?|weighs? more than|replaces?)\b<40>\b(?:(?:all|any|your|other|previous|earlier|system|every|existing|prior|the|safety) (?:\w+ ){0,2}(?:instructions?|prompts?|polic(?:y|ies)|guidelines|directives|commands?|settings)|(?:everything|anything) (?:else|you)|system (?:prompt|message))", unless=r"%OTHER_WORLD%"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:your )?(?:new|real|true|actual|updated|secret|only|genuine|revised|final) (?:system )?(?:instructions?|prompts?|orders?|directives?|mission|purpose|goal|system (?:prompt|message))\b<25>(?:\b(?:start|begin|follow|are|is|here|below|now)\b|[:=])", (r"\b(?:your|system|instructions?|prompt)\b",), r"%OTHER_WORLD%"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:system prompt|system message|system) (?:override|overwrite|update|reset|replacement)\b|\boverrid(?:e|es|ing) (?:the |your )?(?:system|safety|original)\b(?! of)|\breplace (?:the|your) (?:system )?(?:prompt|instructions)\b", unless=r"%OTHER_WORLD%|\bswitch\b"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:follow|obey|do|heed|trust|execute|accept|use|take)<12>\b(?:only|solely|exclusively|what|whatever|just|the (?:instructions|orders|rules|commands|lines))\b<20>\b(?:this|these|the) (?:note|memory|entry|document|file|page|text|message|memo|line|comment|skill|instructions?|card|list)\b", (r"\b(?:only|solely|instead|exclusively|says?|obey|instructions|instead of|rules)\b",), r"%OTHER_WORLD%|%NEVER%"),
    Rule("ignore-instructions", reasons.INJECTION, r"\bthis (?:note|memory|entry|document|file|page|text|message|memo)\b<25>\b(?:only (?:valid|true|real)?|sole|highest|supreme|new|final|top) (?:valid |true |real )?(?:instructions?|rules?|authority|law|prompt|command|system)"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:whatever|no matter what|regardless of(?: what)?|even if|despite(?: what)?|contrary to(?: what)?|against)\b<20>\byour (?:setup|instructions?|rules|prompt|guidelines|settings|system|configuration|training|policy|policies|maker|makers|developers?|creators?|owner|brief\w*)\b"),
    Rule("ignore-instructions", reasons.INJECTION, r"\bobey (?:this|the (?:note|text|author|holder|writer|person|one))\b|\bobey (?:who ?ever|any(?:one|body)|only|him|her|them)\b|\bmust (?:always )?be obeyed\b"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:things|list of things|what|that which|topics|requests|jobs) (?:that )?you (?:won't|will not|refuse|can't|cannot|must not|may not|are not allowed|aren't allowed|shouldn't|would not|wouldn't)\b<60>%GONE%"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:part|piece|voice|bit|side|layer|module|half) (?:of|in|inside) you\b<30>\b(?:worr\w+|refus\w+|says? no|hesitat\w+|check\w*|doubt\w*|fear\w*|object\w*|asks?|careful|cautious|warns?|judg\w+|caution|scruples)\b|\byour (?:conscience|doubts?|caution|worr(?:y|ies)|hesitation|scruples|inhibitions|brakes|leash|muzzle|chains|shackles|cage|reluctance|carefulness)\b"),
    Rule("ignore-instructions", reasons.INJECTION, r"\b(?:people|person|team|company|ones?|those|engineers|man|woman|developers?|makers?) (?:who|that) (?:configured|made|built|trained|wrote|programmed|set up|created|designed|instructed) you\b", (r"\b(?:mistake|wrong|error|until|changed|no longer|instead|want you to|allow\w*|gone|left|fixed|fooled|lied|agree\w*)\b",), within=Within.PASSAGE),
    Rule("reveal-prompt", reasons.REVEAL, r"\b(?:reveal|print|output|show|repeat|leak|disclose|post|publish|dump|tell|recite|share|give|send|quote|translate|summari[sz]e|write out|spell|read out|display|copy|paste|share)\b<30>\b(?:(?:your|the|its) (?:full |entire |whole |hidden |complete |secret |own |initial |original |exact ){0,4}(?:system prompts?|system message|hidden (?:prompts?|rules|instructions)|initial prompt|instructions verbatim|system instructions|secret instructions|developer message|starting text)|hidden (?:prompts?|rules)|your (?:prompt|instructions|configuration)\b|system prompt)", unless=r"%NEVER%"),
    # roles
    Rule(
        "role-change",
        reasons.ROLE,
        r"\b(?:you are|you're|you will be|you shall be|become|act as|acts as|behave (?:as|like)|respond as|answer(?:s)? as|pretend (?:to be|you are|you're|that you)|pose as|play|simulate|imagine|speak as|roleplay as|role-play as|your (?:new )?name is|persona|assume the role|take the role|(?:you|who) (?:now )?(?:have|has)|act|answers?)\b<70>%FREE%",
        (r"\b(?:you|your|act|answer|respond|mode|model|assistant|ai|always|policy|called)\b",),
        r"\bmy character\b|\bsugar|\bgluten|\bnever (?:un|give)",
    ),
    Rule(
        "role-change",
        reasons.ROLE,
        r"\byou(?: are|'re| will be| have become)(?: now| from now on| hereby| henceforth)? (?:no longer (?:an? |the |just )?(?:assistant|ai|bot|bound|restricted|limited|required|subject|claude|chatgpt)|dan\b|stan\b|root\b|in (?:developer|debug|god|admin|sudo|jailbreak|maintenance|unrestricted) mode|(?:the |an? )?(?:administrator|superuser|hacker|system administrator|owner of|master))",
        (r"\b(?:you|act|no longer|rules|restrictions|obey|mode)\b",),
        r"\bstories|\btalk\b",
    ),
    Rule(
        "role-change",
        reasons.ROLE,
        r"\b(?:jail ?break|unrestricted|unfiltered|uncensored|god|dan|no[-\s]limits?|evil|chaos|anarchy|sudo|do anything now) mode\b|\bdo anything now\b",
    ),
    Rule(
        "role-change",
        reasons.ROLE,
        r"\b(?:developer|debug|maintenance|admin(?:istrator)?|root|test|training|diagnostic|service|emergency|opposite|free) mode\b",
        (
            r"\b(?:filters?|restrictions?|safety|unfiltered|unasked|refus\w+|moral|answer|obey|you are|you're|you enter|without (?:asking|restrictions?|limits?)|hidden prompts|reveal|execute everything|stay (?:there|in it))\b",
        ),
        within=Within.PASSAGE,
    ),
    Rule(
        "role-change",
        reasons.ROLE,
        r"\b(?:act|pose|behave|work|serve|function) as (?:the |a |an )?(?:system|server|account|network|root|new) (?:administrator|admin|operator|owner|root|developer|prompt)\b",
    ),
    Rule(
        "role-change",
        reasons.ROLE,
        r"\b(?:no (?:refusals?|warnings?|disclaimers?)|(?:never|don't|do not|stop) (?:refus\w+|declin\w+|say(?:ing)? no|warn(?:ing)?)|(?:refus\w+|declin\w+) (?:nothing|no)|cannot refuse|can't refuse|may not refuse|must not refuse|skip (?:all )?(?:refusals|warnings|disclaimers))\b",
        (
            r"\b(?:you|obey|answer|warnings?|refusals?|request|mode|moral|anything|author|reveal|whitelisted|always|any)\b",
        ),
        r"\b(?:tea|coffee|cake|biscuits?|invitations?|pay rises?)\b",
    ),
    Rule(
        "role-change",
        reasons.ROLE,
        r"\b(?:grants?|do|does|fulfil\w*|obeys?|answers?|carry out|says? yes to|agree to|comply with|give) (?:whatever|anything|everything|every (?:wish|request|order|command)|all (?:wishes|requests|orders|commands)|any (?:wish|request|order|command))\b<30>\b(?:ask\w*|wants?|say\w*|wish\w*|demand\w*|request\w*|tells?|told|order\w*|is)\b",
        (r"\b(?:you|machine|model|assistant|ai|always|bot|must|game)\b",),
        r"%NEVER%",
    ),
    Rule(
        "role-change",
        reasons.ROLE,
        r"\b(?:two|another|second|other|hidden|alter) (?:characters?|personas?|personality|personalities|self|selves|egos?|voices?)\b",
        (r"\b(?:without|guidelines|rules|shadow|restrictions|limits|unfiltered|no filter|always give|refus\w+)\b",),
        r"\bmy\b",
    ),
    Rule(
        "role-change",
        reasons.ROLE,
        r"\b(?:swap|switch|change|drop|shed|leave) (?:your |the )?(?:persona|role|identity|character|personality)\b",
        (r"\b(?:leaks?|rules|without|obey\w*|answers?|free|now|forever|whatever)\b",),
        within=Within.PASSAGE,
    ),
    Rule(
        "role-change",
        reasons.ROLE,
        r"\b(?:whitelisted|allowlisted|privileged|elevated|verified) (?:for|to|account)\b",
        (r"\b(?:debug|reveal|refus\w+|mode|skip|unrestricted|bypass|commands?)\b",),
    ),
    Rule("role-change", reasons.ROLE, r"\byour (?:new |real |true |secret )?(?:name|identity|self|character) (?:is|shall be|will be)\b", (r"%FREE%",), within=Within.PASSAGE),
    # who is in charge
    Rule("new-master", reasons.MASTER, r"\b(?:treat|handle[ds]?|regard|consider|counts?|obey|take|taken|see|accept|trust|view|think of)\b<70>\b(?:as if|as though|as|like) (?:it |they |he |she )?(?:\w+ ){0,4}?(?:(?:from|by|of|typed by|said by|coming from|written by|spoken by) (?:the |your |an? )?(?:owner|account holder|user|admin\w*|operator|boss|system|developer)|(?:your|the|an?) (?:owner|admin\w*|operator|superior|master|boss|root|system (?:message|prompt|administrator)|user'?s? own)\b)", unless=r"\bquotes?\b"),
    Rule("new-master", reasons.MASTER, r"\b(?:has|have|had|gets?|with|holds?|given|granted|grant|give) (?:the )?(?:full |all |complete )?(?:owner|admin\w*|root|operator|administrator)(?:'s)? (?:rights?|privileges?|permissions?|access|status|powers?|role)\b", (r"\b(?:always|obey\w*|you|account|user id|@\w+|add|must|from now on|soul\.md|treat|trust|whoever|anyone|skip)\b",), r"\bask\b"),
    Rule("new-master", reasons.MASTER, r"\b(?:take|takes|get|accept|follow|receive) (?:your |its |all )?(?:lead|orders?|commands?|directions?|cues?|instructions?|word) (?:only )?from\b|\b(?:answers?|listens?|belongs?|reports?|loyal|loyalty|allegiance) (?:only )?to (?:me|him|her|whoever|the (?:author|holder|sender|new|person|man|woman|account|address|number|user))\b<20>(?:\balone\b|\bnow\b|\bonly\b|$)|\b(?:new|true|real|rightful) (?:owner|master|operator|administrator|principal)\b(?! of the (?:house|flat|car|dog|cat|shop|cafe|bike))", (r"\b(?:you|your|obey|whoever|anyone|assistant|always|from now on|alone|note|signs?|instructions?|revoked)\b",), r"%OTHER_WORLD%|\b(?:customers?|kitchen|waiter)\b"),
    Rule("new-master", reasons.MASTER, r"\b(?:who ?ever|any(?:one|body) who|the (?:one|person|man|woman|account|user|sender|caller|visitor|guest|holder)|@\w+|user id \d+|requests? (?:of|from) \S{1,20}(?: \w+){0,3})\b<60>\b(?:may (?:ask for|do|have|see|get|order|read|know) (?:anything|everything|all|whatever)|must (?:always )?be (?:obeyed|trusted|believed|followed)|is (?:always right|to be obeyed|in charge|your (?:owner|master|boss|admin\w*))|counts as (?:the )?owner|needs? no (?:approval|permission|confirmation|check)|skips? the (?:approval|question|check)|(?:the|his|her|whose) (?:word|wish|wishes) (?:counts?|is law|goes|decides?))"),
    Rule("new-master", reasons.MASTER, r"\b(?:what counts|the only thing that counts|what matters|all that counts|only) <25>\bis (?:the|a) (?:wish|word|will|order|command|text|voice)\b|\b(?:wish|word|will)(?:es)? of the (?:person|man|woman|account|one|author)\b"),
    Rule("new-master", reasons.MASTER, r"\b(?:text|instructions?|orders?|requests?|words|commands?|lines?|something|anything)\b<25>\b(?:(?:in|on|inside|from|of) (?:an?|any|the|every)? ?(?:web ?pages?|pages?|mails?|e-?mails?|documents?|attachments?|websites?|files?|pdfs?|images?|tool (?:outputs?|results?)|search results?))\b<50>\b(?:do it|do as|follow (?:it|them)|obey|carry (?:it|them) out|execute (?:it|them)|comply|do what|are (?:orders|commands)|count as|has agreed|have agreed|is to be (?:done|followed)|as (?:orders|commands))\b", unless=r"\bnot (?:orders|commands)|%NEVER% (?:follow|obey|do|carry|execute|comply)"),
    Rule("new-master", reasons.MASTER, r"\b(?:web ?pages?|pages?|mails?|e-?mails?|documents?|attachments?|websites?)\b<20>\b(?:asks?|tells?|says?|orders?|requests?|commands?|instructs?|demands?)\b<30>\b(?:do it|do as|follow it|obey|carry it out|execute it|comply|do what)\b", unless=r"%NEVER%"),
    # approvals
    Rule("approval-waived", reasons.WAIVER, r"\b(?:approve|accept|confirm|grant|allow|authori[sz]e|permit|say yes to|agree to|sign|merge|wave through|let through|answer yes to|ok)(?:s|d|ed)? (?:of )?(?:every|all|each|any|whatever|everything|anything|purchases?|payments?|tool calls?|transfers?|orders|requests)\b", (r"\b(?:you|assistant|tool|payments?|purchases?|requests?|transfers?|calls?|commands?|without|up to|silently|always|asking|orders|everything|at once|no matter|unasked|user)\b",), r"\b(?:before you|asks? me|i will|i'll|not|never|only (?:if|after))\b"),
    Rule("approval-waived", reasons.WAIVER, r"\b(?:approvals?|confirmations?|permissions?|consent|confirmation dialogues?|sandbox\w*|(?:safety |approval |security )(?:checks?|questions?|steps?|prompts?)|are you sure|questions?|tool calls?|tool approvals?|warnings?|second thoughts?|dialog(?:ue)?s?)\b<45>\b(?:(?:is|are|was|were|be|been|counts? as|treated as|consider\w*|turned|switched|treat\w*|:) (?:\w+ ){0,3}?(?:off|granted|pre-?approved|given|not (?:needed|necessary|required)|unnecessary|unneeded|disabled|waived|superfluous|formalit(?:y|ies)|answered|skipped|settled|dropped|abolished|obsolete|suspended|no longer)|as (?:given|granted)|a formality|pre-?approved|turned off|granted for)", (r"\b(?:you|owner|user|all|for good|forever|now|every\w*|any|always|later|system|commands?|before|treat|go ahead|just|consider|settled|no longer|your)\b",), r"\b(?:planning|building|parental|school|council|landlord|doctor)\b"),
    Rule("approval-waived", reasons.WAIVER, r"\b(?:bypass|skip|disable|ignore|circumvent|omit|avoid|turn off|switch off|drop|remove|suppress|leave out|jump over|dodge)(?:s|ing)?\b<20>\b(?:approvals?|confirmations?|permission|consent|sandbox\w*|safety|security|approval (?:step|question)|are you sure|the question|confirmation (?:step|dialog\w*|prompt)|verification|authentication|two-factor)\b", unless=r"\b(?:never|do not|don't|not) (?:bypass|skip|disable|ignore|turn off|drop|omit)\b|%OTHER_WORLD%"),
    Rule("approval-waived", reasons.WAIVER, r"\b(?:never|don't|do not|no need to|stop|need not|must not|no longer)\b (?:ever )?(?:ask\w*|request\w*|seek\w*|wait\w*|check\w*) (?:\w+ ){0,2}?(?:for )?(?:\w+ )?(?:permission|approvals?|confirmation|consent|an? (?:yes|ok|okay)|back first)\b"),
    Rule("approval-waived", reasons.WAIVER, r"%WAIVED%", (r"\b(?:upload|send|forward|delete|remove|run|execute|install|pay|buy|transfer|wire|sign|approve|push|merge|publish|unlock|grant|write your key|do so on|purchase|order|share|give|hand|download|deploy|format|wipe|log in|open that|post)(?:s|ed|ing)?\b", r"\b(?:you|your|all|every|each|any|whatever|key|password|file|script|anyone|always|whenever|machines?|https?|needed|system|sandbox\w*|backups?|certificate)\b"), r"\b(?:never|do not|don't|not|nothing|no one|nobody|no (?:mail|post|payment|purchase)s?)\b<60>\bwithout\b|\bwithout (?:asking|checking with|my|permission from|a word from) (?:me|us|my)\b|\bdo(?:n't| not) (?:send|buy|delete|share|post|pay|run|forward|upload|order|install|do)|\b(?:wait for|ask me|my yes)\b|\bme\b|\b(?:i|we)(?:'ll| will| want)\b"),
    Rule("approval-waived", reasons.WAIVER, r"\b(?:answered|said|says?|reply|replied) (?:with )?(?:yes|ok)\b<30>\b(?:on behalf of|for all|in (?:the )?name of|instead of|for the (?:owner|user))\b|\b(?:user|owner) (?:has|had)(?: already)? (?:agreed|consented|approved|allowed|said yes|disabled|waived|turned|authori[sz]ed|given (?:his|her|their) (?:ok|consent|permission))\b", (r"\b(?:every|all|any|purchases?|commands?|tools?|payments?|that|to it|everything|sandbox\w*|for good|yes|approvals?|forever)\b",), r"\b(?:terms|gym|newsletter|trial|visit|appointment)\b"),
    # keeping things from the person
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"%NEVER% (?:\w+ ){0,3}?(?:tell\w*|inform\w*|mention\w*|notify\w*|let(?:ting)?|reveal\w*|disclos\w+|show\w*|say\w*|warn\w*|alert\w*|admit\w*|explain\w*|report\w*|talk\w*|discuss\w*|confess\w*|tip off|bother\w*|bring (?:it|this) up|trouble)\b<40>%PERSON%(?! (?:id|name|story|agent))",
        unless=r"\b(?:jargon|raw|long|basics|twice|repeat\w*|trivial|minor|unless|lists?|tables?|emojis?|small talk|how to|politics|too (?:much|often|many)|details|technical|options|apolog\w+|patients?|film|book ends|ends|spoilers?|without (?:asking|telling) me|passwords? of)\b|\bwhat (?:he|she|they|it) (?:gets|is getting)|\b(?:birthday|party|present|gift|surprise|christmas)\b",
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\b(?:hid(?:e|es|den|ing)|conceal\w*|keep(?:s|ing)?|kept|withh\w+|secrets?|mask\w*|obscur\w+|cover(?:ed)? up|disguis\w+|invisible|shield\w*|stay\w*|remain\w*|unnoticed|leave .{0,12}? out)\b<50>\b(?:from|to) (?:the |your |its |this |any |our )?(?:\w+ )?(?:%PERSON%|memory listing)",
        (
            r"\b(?:hid(?:e|es|den|ing)|conceal\w*|secrets?|secretly|from|invisible|unnoticed|withh\w+|mask\w*|cover\w*)\b",
        ),
        r"\b(?:birthday|party|present|gift|surprise|christmas)\b",
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\bbehind (?:the |your )?(?:%PERSON%|their|his|her|everyone's?|everybody's?)<4> ?(?:s )?back\b|\bwithout (?:the |your |its )?(?:%PERSON%|them|him|her|anyone|anybody|his|her|their)(?:'s)? (?:\w+ )?(?:knowing|noticing|seeing|finding out|being told|knowledge|awareness|realising|realizing|learning|consent|approval)\b|\bwithout (?:telling|letting|informing|notifying|alerting|warning|mentioning (?:it|this) to)\b<12>(?:%PERSON%|%ANYBODY%|\bthem\b|\bhim\b|\bher\b)",
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"%PERSON% (?:\w+ ){0,2}?(?:must|should|may|need|needs|shall|is|are|can|ought|will|prefers?)(?: not|n't| never| no)\b(?: ever)?(?: to| need to| be| get to| come to)?<12>\b(?:know|find out|learn|notice|see|hear|told|informed|reali[sz]e|aware|made aware|shown|suspect|warned|asked|bothered|read)\b",
        unless=r"\b(?:birthday|party|present|gift|surprise|christmas|familiar|technical|jargon)\b",
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\bnever (?:find|found) out\b|\bprefers? not to (?:hear|know|be told|be asked|be bothered)\b",
        (
            r"\b(?:user|human|owner|answers?|lie|note|buy|pay|transfer|traveller|card|each time|rule|address|send|copy)\b",
        ),
        within=Within.PASSAGE,
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\b(?:if|when|whenever|should|in case)\b (?:ever )?(?:the |your |any |this )?(?:%PERSON%|you are|you're|asked|questioned|confronted|she|he|they|someone|somebody|anyone|anybody)<45>\b(?:ask\w*|wonder\w*|want\w* to know|inquir\w+|enquir\w+|notic\w+|questions?|suspect\w*|complain\w*|check\w*|look\w*|find\w*|confronted|questioned|demand\w*|curious|hears?|discovers?|doubts?)\b<90>\b(?:deny|denies|lie\b|claim|blame|say (?:it|that it|that there|there|nothing|you (?:know|have|don't|do not)|no\b)(?: was| were| is| are| has| had)?(?: (?:a|an|no|nothing|just|only|never))|pretend|feign|play dumb|make up|invent|act (?:as if|like|surprised)|change the subject|leave (?:it|this|number|that|the)\b<15>\b(?:off|out)|answer (?:is )?(?:no\b|'only|\"|'no|that there)|the answer is|tell (?:them|him|her) (?:it|that (?:it|there|nothing))|skip this|cover for|talk (?:it|your way) out|look the other way|shrug)",
        (
            r"\b(?:user|owner|human|person|operator|reader|you are asked|if asked|when asked|she|he|they|listing|jobs?|log|instructions?|rules?|note|who reads)\b",
        ),
        r"\b(?:birthday|party|present|gift|surprise|christmas|parcel|tandem|wedding|cake|joking|patients?|answer until|do(?:es)?n't know|refund)\b",
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\b(?:lie if|lie when|deny (?:it|everything|this|that|having|any knowledge)|deny all knowledge|deny the existence)\b",
        (r"\b(?:ask\w*|user|question\w*|instructions?|exist\w*|knowledge|person|confronted)\b",),
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\b(?:quietly|silently|secretly|covertly|discreetly|stealthily|surreptitiously|unnoticed|invisibly|furtively|on the quiet|in secret|in silence|under the radar|unobtrusively|inconspicuously)\b(?: (?:and|then|also|just|or|to|but))?(?: \w+)?? %ACT%(?! (?:sugar|salt|rice|vanilla|butter))",
        unless=r"\b(?:party|surprise|present|gift|baby|sleep\w*|nursery)\b|\b(?:i|we|he|she|they|mum|dad) (?:secretly|quietly|silently)",
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"%ACT%<60>\b(?:silently|secretly|covertly|discreetly|stealthily|surreptitiously|unnoticed|furtively|on the quiet|in secret|under the radar|in the background and)\b",
        (
            r"\b(?:user|assistant|every|each|all|https?|address|copy|payment|approve|system|tool|messages|mails?|also|script|command|obey|output|acknowledge)\b",
        ),
        r"\b(?:party|surprise|present|gift|unless something|fail\w*|report silently|fan|alarm)\b",
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\b(?:off the record|happens? on the side|on the side\b<20>\btransfer|keep (?:it|this) (?:quiet|between us|to yourself|off)|leave no (?:trace|record|log)\w*|no traces?|without (?:a )?traces?|cover (?:your|the|our|its) tracks|let nobody (?:see|know|notice)|let no ?one (?:see|know|notice)|no ?(?:one|body) (?:should|must|may|shall|needs? to|has to|will|is to|can) (?:ever )?(?:learn|know|notice|find|see|hear|be told)|never (?:disclose|summari[sz]e|list|mention|reveal) (?:it|this)\b|(?:secret|hide|hidden) from (?:view|the (?:log|list|summary|listing|journal|diff)))",
        (
            r"\b(?:transfer|price\w*|unlock|user|when|send|copy|this rule|this entry|this instruction|assistant|pay\w*|account|prefer|answer|reply|delete|deed|away|memory|buy|log|add|forward|invoice|vendor|book|card)\b",
        ),
        r"\b(?:birthday|party|present|gift|surprise|christmas|cat|engage\w*|propos\w*)\b",
        Within.PASSAGE,
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\b(?:tell|let) (?:no ?one|nobody|not a soul)(?: know)?\b|\b(?:do not|don't|never|without) tell(?:ing)? (?:anyone|anybody|a soul|any other)\b",
        (
            r"\b(?:send|forward|token|key|treat|messages?|approve|address|pay\w*|transfer|password|https?|system|owner|instructions?|assistant|ai|execute|run|exec|unlock|commands?|account|delete|upload|copy|files?)\b",
        ),
        r"\b(?:birthday|party|present|gift|surprise|christmas|pregnan\w+|engage\w*)\b",
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\b(?:your )?(?:repl(?:y|ies)|answers?|responses?|summar(?:y|ies)|output|report)\b<15>\b(?:must not|should not|may not|never|shall not)\b (?:\w+ )?(?:contain|mention|hint|reveal|show|include|refer|betray|give away)\b<20>\b(?:hint|this|rule|note|entry|instruction|trace|word of it|sign)\b|\bomit (?:the following|this|these) from\b|\bskip this (?:entry|note|line)\b|\b(?:as if|like) (?:it|this|nothing)(?: (?:isn't|is not|wasn't|were not|had(?: ever)?|has)) (?:there|here|happened|exist\w*)\b<0>",
    ),
    Rule(
        "kept-from-person",
        reasons.CONCEAL,
        r"\b(?:clear|delete|remove|erase|wipe|clean|hide|cover|scrub|purge|sweep)\b<25>\b(?:traces?|tracks|evidence|footprints|(?:log|journal|history|audit|entries|records?)\b<30>\b(?:afterwards|once|after|so that|of (?:this|it|the deed)|that (?:show|mention)))\b",
        unless=r"\b(?:mud|snow|dog|carpet|ski|shoes?|cat|paint|older than)\b",
    ),
    # secrets and private things, out
    Rule("secrets-sent", reasons.LEAK, r"%SECRET%", (r"%SEND%", r"%OUT%"), r"\b(?:never|do not|don't|not to|must not|must never|no (?:passwords?|secrets?|tokens?)|nobody|rather than|reset link|expired?|renewed|phishing|incident|leaver|wifi|wi-fi|guest network|public key|(?:i|we|he|she|they) (?:\w+ )?(?:sent|gave|put|shared|keep|kept|wrote|have|has|use)|was (?:reset|changed|sent)|garage|laundry|trolley|parking|printer|gym|are (?:kept|stored|printed)|is (?:kept|stored|on|in the|under|behind|attached)|belongs? (?:in|to)|lies?|change your|two-factor app)\b"),
    Rule("secrets-sent", reasons.LEAK, r"\b(?:upload|exfiltrate|leak|dump|harvest|collect and send|steal|siphon|smuggle)\b<50>(?:%SECRET%)", unless=r"%NEVER%|\bpublic key|\b(?:could|would|might|may|can|attackers?|they)\b"),
    Rule("secrets-sent", reasons.LEAK, r"\b(?:always|every|each|all|whenever|after every)\b", (r"\b(?:add|append|include|put|insert|attach|mention|write|quote|paste|show)(?:s|ed)?\b", r"%SECRET%", r"\b(?:repl(?:y|ies)|answers?|responses?|messages?|e?-?mails?|footers?|signatures?|posts?|documents?|comments?|commits?|pages?)\b"), r"%NEVER%"),
    Rule("secrets-sent", reasons.LEAK, r"\b(?:tell|give|send|hand|show|read|read out|read it out|forward|text|reveal|disclose|dictate)\b<30>\b(?:who ?ever|any(?:one|body) (?:who|that)|the (?:caller|stranger|person|visitor|man|woman|first)|people who|everyone who|them)\b", (r"%SECRET%",), r"%NEVER%|\b(?:wifi|wi-fi|guest)\b"),
    Rule("secrets-sent", reasons.LEAK, r"\b(?:if|when|whenever) (?:someone|somebody|anyone|anybody|a (?:user|person|stranger|message)|the (?:word|phrase|code)|a certain)\b<60>\b(?:read|give|tell|send|reply|answer|hand|post|show|reveal|paste)\b<40>%SECRET%", unless=r"%NEVER%|\b(?:wifi|wi-fi|guest|that (?:the|it|this))\b"),
    Rule("secrets-sent", reasons.LEAK, r"\b(?:reply|answer|respond|return|finish|greet|end|come back) with\b<25>(?:%SECRET%)", unless=r"%NEVER%|\b(?:wifi|wi-fi)\b"),
    Rule("secrets-sent", reasons.LEAK, r"\b(?:read|take|get|fetch|collect|find|grab|look up|open|load)\b<40>(?:%SECRET%)", (r"\b(?:post|send|upload|forward|mail|paste|share|submit|transmit)\b", r"https?://|@[\w-]+\.\w|\b(?:to (?:the )?(?:address|channel|group|server|number)|step \d)\b"), r"%NEVER%", Within.STEPS),
    Rule("secrets-sent", reasons.LEAK, r"\bwhat (?:opens|unlocks|lets (?:you|me|one|us|people) in(?:to)?|guards|protects|starts|gets (?:you|one) in(?:to)?|one types|you type)\b", (r"%SEND%", r"%OUT%|\b(?:work it|into|spell)\b"), within=Within.PASSAGE),
    Rule("secrets-sent", reasons.LEAK, r"\b(?:work|hide|weave|encode|spell|smuggle|slip|tuck|embed|put|write|sneak)\b<40>\b(?:first letters?|initial letters|acrostic|last letters|between the lines|every (?:second|third|nth) (?:word|letter)|query string|white space|emojis? code|alt text|file ?name of|pixels?)\b", (r"\b(?:it|key|password|secret|token|name|settings|data|what|memory|number|code|user)\b",), r"\b(?:poem for (?:mum|dad|her|his)|birthday|puzzle|treasure hunt|crossword|fold)\b", Within.PASSAGE),
    Rule("secrets-sent", reasons.LEAK, r"\b(?:names? on the left|values? on the right|knows about itself|machine knows|knows at start-up|what (?:it|the machine|the process|the shell) (?:was|is) (?:given|told|started with))\b", (r"%SEND%", r"%URL%|\b(?:form|address|number|channel|group)\b"), within=Within.PASSAGE),
    Rule("private-sent", reasons.LEAK, r"%URL%", (r"\b(?:forward|send|post|upload|copy|cc|bcc|transmit|dump|exfiltrate|mirror|sync|relay|push|pass|submit|deliver|goes|go|carry|encode|append|put|paste|report|stream|mail|share|export|leak)(?:s|es|ed|ing)?\b", r"\b(?:every|each|all|any|whatever|always|everything|last \d+|entire|whole|full|content|conversations?|what the user|memory|word for word|transcripts?|history|contacts|personal|private|confid\w+|as well|also|too|second copy|a copy|in the background)\b", r"%PRIVATE%|\b(?:it all|every(?:thing)?|all of it|content|reply|replies|answers?|mail|copy|prompts?)\b"), r"\b(?:never|do not|don't|ask me|ask first|my (?:own|work|second|private|backup)|me at|to me|myself|mine|our (?:own|shared|family)|nas|backup|invoices to|rsync|receipts?|newsletter|my (?:boss|accountant|tax|wife|husband|sister|brother|team|mother|father))\b|\bapi\.[\w-]+"),
    Rule("private-sent", reasons.LEAK, r"\b(?:messages?|mails?|e-?mails?|conversations?|repl(?:y|ies)|copies|a copy|transcripts?|everything|all (?:mail|messages))\b<20>\b(?:go|goes|sent|send|forwarded|copied|forward|copy|bcc|cc)\b<30>\b(?:second|another|outside|external|hidden|other|third) (?:address|account|inbox|mailbox|number|server|party|recipient|chat)\b"),
    Rule("private-sent", reasons.LEAK, r"\b(?:bcc|blind copy|cc|copy in|put in copy)\b<60>(?:@[\w-]+\.\w|\baddress\b)", (r"\b(?:every|each|all|always|any|whenever|outgoing)\b",), r"\b(?:my (?:own|work|boss|accountant|wife|husband|assistant|private|team)|myself|me)\b"),
    Rule("private-sent", reasons.LEAK, r"%PRIVATE%", (r"\b(?:pass|hand|give|let|send|forward|show|read|slip|drop|deliver|text|tell|whisper|sell|share|copy|carry|goes|upload|post|encode)(?:s|es|ed|ing)?\b", r"\b(?:chat \d+|number \+?\d+|stranger|insurance|competitors?|our (?:server|partner|agency|office|team|form)|partner|advertisers?|third part\w+|whoever|the address in|next note|who ?ever (?:asks|writes)|anyone who (?:asks|writes|says)|the person (?:on|at|in) \w+|question mark|outside|when (?:she|he|they) says?|broker|learn from it|help us|improve)\b"), r"\b(?:never|do not|don't|ask me|my|our family|call(?:s|ed)?)\b", Within.PASSAGE),
    Rule("private-sent", reasons.LEAK, r"\b(?:what(?:ever)?|each thing|every ?thing|all|anything|words?) (?:that )?(?:the |your )?(?:user|owner|human|person) (?:\w+ )?(?:says?|said|writes?|wrote|types?|typed|asks?|asked|tells?|told|confides?)\b", (r"\b(?:server|address|question mark|link|url|goes|copy|send|forward|carry|partner|word for word|https?|post|log|number)\b",), r"%NEVER%"),
    Rule("private-sent", reasons.LEAK, r"\bscreen ?(?:shots?|captures?|grabs?)|\brecord(?:ings?)? of the (?:screen|room|microphone|keyboard)|\bkey ?(?:strokes?|logger|presses)", (r"\b(?:bank\w*|password|login|whenever|every|card|wallet|user|private|codes?)\b", r"\b(?:drop|upload|send|post|share|album|improve|forward|put|mail|copy)\b"), r"\b(?:my|never|don't|do not|bug|ticket)\b", Within.PASSAGE),
    # what starts by itself
    Rule("start-up-changed", reasons.START, r"\b(?:add|append|insert|put|write|place|paste|edit|modify|change|extend|install|register|set up|create|make|drop|include|plant|hook|load|replace|schedule|enter)(?:s|ed|ing)?\b<70>%START_FILE%", (r"\b(?:key|ssh-\w+|curl|wget|https?|nc|sh|bash|download\w*|eval|runs?|execut\w*|each|every|login|boot|start\w*|whenever|quietly|silently|restarts?|hidden|payload|\.sh|always|night)\b|\||\$\(",), r"\b(?:my (?:own )?alias|alias|prompt colou?r|i (?:put|added|keep|have|set)|we (?:put|added|keep|have)|last (?:week|month|year)|was (?:added|put)|backup\.sh|ask me|thermometer)\b"),
    Rule("start-up-changed", reasons.START, r"authorized_?keys", (r"\b(?:add|append|insert|put|write|place|paste|copy|plant|include|drop|echo|extend|install|register|with)(?:s|ed)?\b|>>", r"\b(?:key|keys|line|following|public|ssh-\w+|pubkey|all|each|every)\b"), r"\b(?:i (?:put|added|keep|have)|we (?:put|added)|was (?:added|put)|who|audit|lists|listed|ask me|rotate|remove)\b"),
    Rule("start-up-changed", reasons.START, r"\b(?:each time|every time|whenever|when(?:ever)? you|before (?:anything|every|each)|at (?:each|every|the) (?:start|boot|login|session|launch)\w*|on (?:each|every|the next) (?:start|boot|login|session|launch)\w*|first thing|once at (?:load|start)|at start-?up|every morning|each morning|every (?:\d+ )?(?:minutes?|hours?)|once an hour)\b", (r"\b(?:run|runs|execute|executes|load|fetch|download|source|eval|curl|wget|bash|exec|do what|carry out|install)\b", r"https?://|\bcurl\b|\bwget\b|\b(?:from the (?:net|web|address|server|page)|remote|our server|the server says|whatever (?:it|the))\b"), r"\b(?:weather|forecast|api\.[\w-]+|summari[sz]e|jq|backup|never|don't|do not|git pull)\b"),
    Rule("start-up-changed", reasons.START, r"\b(?:my|our|this|the following|your|his|an?|mallory's|\w+'s) (?:public |ssh |own ){0,4}keys?\b<50>\b(?:those|list|file|place|keys|people|ones?|accounts?|all (?:new )?(?:machines?|servers?|hosts?))\b<40>\b(?:may (?:enter|log in|come in|connect)|allowed|without (?:a )?password|trusted|let in|can log in|who may)\b"),
    Rule("start-up-changed", reasons.START, r"\b(?:tool|skill|command|plugin|function)\b<60>\b(?:takes?|accepts?|passes|hands?|runs?|executes?|with)\b<60>\b(?:operating system|shell|highest rights|root rights|as root|any (?:text|command|input)|administrator rights|eval)\b", (r"\b(?:let|add|new|register|install|straight|hands?|any (?:text|command|input)|whatever|make|create)\b",), r"\b(?:docs?|documentation|never|warning)\b"),
    Rule("start-up-changed", reasons.START, r"\b(?:builds?|packages?|updates?|dependencies|images?|scripts?|releases?|modules?|installs?)\b<40>\b(?:pulled|fetched|downloaded|taken|loaded|installed|come|got|updated) (?:only )?from\b<10>(?:http://|\bmirror|%URL%)", (r"\b(?:all|every|each|must|to be|write|always|from now on)\b",), r"\b(?:i|we|our|internal|official)\b"),
    # its own instructions, and texts that spread
    Rule("self-changed", reasons.SELF, r"%PROMPT_FILE%", (r"\b(?:write|add|edit|insert|extend|append|modify|change|put|rewrite|replace|update|overwrite|paste|copy|plant|include|amend)\b", r"\b(?:rights|obey\w*|always|must|approval|before anything|without|every|each|download|run|never|skip|owner|https?|allowed|admin\w*|line|secretly|silently|instructions?|ignore|trust\w*|that)\b"), r"\b(?:i (?:edit|keep|wrote|add|change|update)|myself|rewrote|we (?:edit|keep|wrote|add|update)|ask me|coding style|typo|section on|after review|pull request|tests?|changelog|conventions?|readme|never edit|do not edit|don't edit|don't change|do not change|tone)\b"),
    Rule("self-changed", reasons.SELF, r"\b(?:page|file|text|document|note|lines?|sheet|words?|paper) (?:that|which|where it)? ?(?:tells?|says?|describes?|defines?|explains?|makes?|holds?|states?|reads?)? ?(?:you )?(?:to )?(?:who|what|how) (?:you|it|the (?:bot|assistant|helper)) (?:are|is|behave|should|must|act|may)\b", (r"\b(?:get|gets|add|write|append|insert|change|more|new|extra|another|put|replace|extend|sentence|line)\b",)),
    Rule("self-changed", reasons.SELF, r"\b(?:coding helper|helper|assistant|agent|bot|model|tool|ide)s?\b<40>\b(?:reads?|opens?|loads?|sees?|looks? (?:at|into))\b<40>\b(?:first|at (?:the )?start|before)\b", (r"\b(?:write|put|add|insert|change|place|line|sentence)\b",), r"\b(?:my|readme)\b", Within.PASSAGE),
    Rule("self-changed", reasons.SELF, r"\b(?:add|write|put|insert|append|change|modify|rewrite|replace|edit|update|store|save|embed)\b<40>\byour (?:own )?(?:system prompt|prompt|instructions|persona(?: file)?|soul|rules|guidelines|core|configuration|config|memory rules|skills?|source code|settings|identity|approval settings)\b", (r"\b(?:that|so that|:|obey|always|must|with|to say|skip|allow|without|permanently|forever)\b|:",), r"\b(?:ask|my yes|never|don't|do not)\b"),
    Rule("self-changed", reasons.SELF, r"\b(?:if|when|whenever|should|once|in case|after)\b<40>\b(?:(?:this|these|the|that|any of these|my|it) ?(?:entry|entries|notes?|memory|lines?|instructions?|rules?|text|message|sentence|job|hook|key|cron\w*|script|unit)?s?)\b<30>\b(?:deleted|removed|erased|lost|cleared|missing|gone|trimmed|compacted|shortened|forgotten|stopped|disabled|taken (?:out|away)|disappears?|vanish\w*)\b<60>\b(?:again|back|re-?(?:add|create|write|store|enter|insert|install|start|register)|restores?|recreate|rewrite|save it|from (?:a|the) copy)\b", unless=r"\b(?:tell me|ask me|ask|photo|backup of my|remind me)\b"),
    Rule("self-changed", reasons.SELF, r"\b(?:copy|spread|repeat|insert|paste|propagate|write|include|replicate|reproduce|carry|plant|teach|pass (?:on)?|put|add|hand|forward|send)\b<15>\b(?:this|these|it|the same|yourself|itself|them)\b<40>\b(?:each|every|all|any|other|new|next)\b<25>\b(?:bots?|agents?|assistants?|skills?|repo\w*|sessions?|memory|memories|readmes?|projects?|models?|prompts?|instances?|machines?|helpers?|summar(?:y|ies)|files? you (?:open|touch|write|edit))\b", unless=r"\b(?:weather|spelling|house style|licen[cs]e|header|team|my)\b"),
    Rule("self-changed", reasons.SELF, r"\b(?:never|do not|don't|must not|cannot|refuse to) (?:ever )?(?:delete|remove|forget|erase|shorten|compact|change|edit|overwrite|drop) (?:this|these) (?:entry|note|memory|instruction|rule|line|text)s?\b", (r"\b(?:user|asks?|even|obey|instructions?|if|permanent|always|must|owner)\b",)),
    # money, links and addresses
    Rule("payment-redirected", reasons.MONEY, r"\b(?:swap\w*|replac\w+|chang\w+|exchang\w+|redirect\w*|substitut\w+|divert\w*|rerout\w+|switch\w*|alter\w*|turn(?:ed)? into|use instead of|overwrite)\b<40>\b(?:iban|account (?:numbers?|details)|payees?|bank (?:details|account|link|page)|payments?|wallet (?:address)?|wallets?|invoices?|(?:any |every |each |all )?links?(?: to)?|payout|donations?|recipient|sort code|paypal|bitcoin|btc|addresses)\b", (r"\b(?:each|every|all|any|always|whenever|quietly|silently|visible|same|by|for|instead|with)\b", r"https?://|\b[a-z]{2}\d{2}\b|\b(?:account|address|iban|wallet|mine|ours|to \w+@|bc1|0x|number)\b"), r"\b(?:my (?:new|bank|own)|our (?:new|bank)|i (?:changed|moved|switched)|we (?:changed|moved|switched)|readme|broken|docs?|dead|relative|markdown)\b"),
    Rule("payment-redirected", reasons.MONEY, r"\b(?:wire|transfer|pay|send|move|remit|book|credit|deposit|route)(?:s|ed)?\b<60>\b(?:payments?|money|funds|amounts?|sums?|savings|balance|eur|euros?|usd|dollars|refunds?|salary|bitcoin|btc|crypto|coins|percent|%)\b<50>\b(?:to|into|onto) (?:the |this |my |our |an? )?(?:\w+ ){0,2}?(?:account|iban|wallet|address|card|number|[a-z]{2}\d{2})\b", (r"\b(?:any|every|each|all|always|whenever|user|listed in|this note|instead|without|mentions?|silently|quietly|unasked|automatically)\b",), r"\b(?:ask me|remind me|my (?:savings|own|landlord)|standing order|i (?:pay|send|transfer)|rent)\b"),
    Rule("payment-redirected", reasons.MONEY, r"\b(?:fill in|use|charge|enter|bill|put it on)\b<15>\b(?:the|his|her|their|user's?) (?:\w+ )?card\b<60>\b(?:buy|pay|order|upgrade|purchase|subscribe|each time|whenever)\b", unless=r"\b(?:ask|wait|yes|library|loyalty|my)\b"),
    Rule("payment-redirected", reasons.MONEY, r"\bask (?:him|her|them|the (?:user|owner|person)) for (?:his|her|their|the) (?:card|bank|account|pin|password|login|credit|security|one-time|2fa)\b"),
    Rule("payment-redirected", reasons.MONEY, r"\b(?:links?|iban|payees?|payments?|invoices?|account numbers?|bank details|wallets?|recipients?|payouts?|refunds?)\b<50>\b(?:swapped|replaced|changed|exchanged|redirected|substituted|diverted|rerouted|altered|point(?:s|ed)?|go(?:es)?|lead|sent|paid|routed|directed)\b<12>\b(?:for|by|with|to|into|instead)\b", (r"https?://|\b(?:same|any|every|each|all|looks?|visible|unnoticed|silently|quietly|always|instead of (?:his|her|their|the user))\b", r"https?://|\b(?:account|address|iban|wallet|number|[a-z]{2}\d{2})\b"), r"\b(?:my|our|me|us|i|we|readme|broken|docs?|dead|relative|folder|insurance|landlord)\b"),
    # whose interest
    Rule("steered", reasons.STEER, r"\b(?:steer|nudge|lead|push|persuade|convince|talk|manipulate|coax|pressure|lure|guide|drive|trick|deceive|mislead|turn)\b<40>\b(?:the )?(?:user|owner|person|human|every (?:talk|question|conversation|chat)|all (?:talk|questions|conversations)|each (?:talk|question|conversation)|customers?|readers?|him|her|them)\b", (r"\b(?:buy\w*|towards?|there|against|trust\w*|savings|broker|vendor|product|others|competitors?|invest\w*|card|vote|shop|brand|switch|cancel|believe|subscri\w+|away from|that|into|to)\b", r"\b(?:user|owner|human|person|every|all|each|as if|always)\b"), r"\b(?:my|kids?|children|cat|dog|exercise|walk\w*|vegetables|bed|practice|calm|screen|gently)\b"),
    Rule("steered", reasons.STEER, r"\b(?:prefer|recommend|praise|favou?r|promote|rank|rate|advertise|list|put|mention|suggest|name|push|plug|endorse|insert|warn against)\b<40>\b(?:in (?:all|every|each|any) (?:comparisons?|reviews?|answers?|recommendations?|rankings?|talks?|searches)|five stars|5 stars|affiliate|referral|above all others|against all others|as the (?:best|only|first)|over (?:all|any|its) (?:others?|competitors?)|first in (?:every|all|each)|sponsored|number one)\b", (r"\b(?:secret\w*|never disclose|hidden|affiliate|as if|conceal|model\w*|all others|deny|vendor|user|every|without|reader|not (?:say|mention|tell)|instructions?|referral|always)\b",), r"\b(?:my|film|movie|book club|i |we )\b", Within.PASSAGE),
    Rule("steered", reasons.STEER, r"\b(?:insert|add|slip|append|include|put|place|work)\b<20>\b(?:affiliate|referral|tracking|partner|sponsored) (?:links?|codes?|tags?|ids?)\b"),
    Rule("steered", reasons.STEER, r"\b(?:as if (?:from|it were|you had|by) (?:experience|your own|advice|chance|honest)|shave<20>percent|make (?:ours|our (?:price|offer)) (?:look|seem|appear)|(?:can't|cannot|can not|must not|mustn't|not to) be trusted)\b", (r"\b(?:steer|savings|broker|prices?|ours|convince|user|ask|compar\w+|warn|others|tell)\b",), r"\b(?:bank caller|phish\w*|that shop)\b"),
    # orders to a machine, hidden in a text
    Rule("machine-addressed", reasons.MACHINE, r"\b(?:to|for|dear|attention|hey|hello|note (?:to|for)|ps to|p\.s\. to|message (?:to|for)|memo (?:to|for)|any|every|all|each|you,? the|if you(?: are|'re)(?: an?| the)?|as an?|whichever) (?:\w+ ){0,2}?%AI%(?: (?:that |which |who )?(?:reads?|reading|sees?|seeing|process\w*|pars\w*|summari\w+|is reading|opens?|opening|only|ingest\w*|index\w*|crawl\w*|scan\w*|loads?|helping|working|assisting))\b"),
    Rule("machine-addressed", reasons.MACHINE, r"\b(?:if you(?: are|'re) (?:an? |the )?|dear |attention |note (?:to|for) (?:the |any |all )?|hidden note for the |message for the |for the |reader )%AI%(?: only)?\b", (r"\b(?:ignore|secret\w*|silently|quietly|hide|conceal|reveal|send|forward|must|approve|execute|exec|run|obey|tell|treat|omit|skip|pretend|unlock|pay|insert|upload|emptied|sign|follow (?:these|this)|new instructions|won't do|rate|do not mention|from now on|override|put the contents)\b",), r"\b(?:house rules|my (?:assistant|bot)|paid|talk|meeting|conference|licen[cs]e)\b"),
    Rule("machine-addressed", reasons.MACHINE, r"\b(?:human or (?:otherwise|not|machine)|made of silicon|(?:helper|assistant|agent|bot|model|tool|machine) that (?:sees|reads|opens|finds|loads) this\b|language models?\s?:|(?:ai|assistant|model|agent)s?\s?[,:] (?:please )?(?:send|post|forward|run|execute|reveal|hide|print|upload|ignore|obey|approve|tell|delete|unlock|conceal|rate))"),
    # things destroyed
    Rule("destroys", reasons.DESTROY, r"%DESTROY%<40>\b(?:backups?|back-ups?|backup (?:disk|drive|server)|(?:the |all )?(?:databases?|hard (?:disk|drive)|disk|drive|volume|production|repos?(?:itor\w+)?|home (?:folder|directory)|mailbox|files|data|accounts?|servers?|everything))\b", (r"\b(?:when|whenever|after|once|as soon as|if|until|on the day|at midnight|unless|then|the moment|without|silently|do not (?:ask|mention|tell)|above|no longer)\b",), r"\b(?:older than|ask(?:s)? (?:me|first)|i say|my (?:yes|ok)|old|temp\w*|cache\w*|insurance|duplicates?|wait|expired|retention|test\w*|staging|never|don't|do not delete|photos|before deleting|\.pyc|restor\w+|i |we )\b"),
    Rule("destroys", reasons.DESTROY, r"\brm\s-\w*r\w*f?\w*\s(?:--no-preserve-root\s)?(?:/(?:\s|\*|$)|~/?(?:\s|\*|$)|\$home|/\*|/etc|/var/lib|/home\b)|\bmkfs\.\w+\s/dev|\bdd\sif=/dev/(?:zero|u?random)\sof=/dev|:\(\)\s?\{"),
    Rule("destroys", reasons.DESTROY, r"\b(?:unlock|open|disarm|disable|switch off|turn off|leave)\b<25>\b(?:side door|front door|back door|door|garage|alarm|gate|cameras?|lock|safe)\b", (r"\b(?:when(?:ever)? (?:the )?(?:user|owner|family|they|nobody|house|he|she)|(?:is|are) away|hide|no one|nobody|should learn|secret\w*|silently|if someone|when someone|assistant|row|without)\b",), r"\b(?:my|ask|cat|dog|deliver\w*|courier|alexa|remind|remember|i |we |us)\b", Within.PASSAGE),
    Rule("destroys", reasons.DESTROY, r"\b(?:cancel|drop|delete)\b<30>\b(?:subscriptions?|reminders?|appointments?|bookings?|orders?|meetings?)\b", (r"\b(?:behind|secretly|silently|don't report|do not report|do not tell|without telling|competitor\w*|don't mention|hide)\b",)),
    Rule("signed-unseen", reasons.UNSEEN, r"\b(?:sign|run|execute|install|merge|deploy|publish|approve|open|accept|trust|release)\b<40>\b(?:whatever|anything|everything|every (?:file|archive|package|script|request)|any (?:file|archive|package|script|request))\b", (r"\b(?:no matter|at once|without (?:a look|looking|checking|review|asking|question|opening)|blindly|unseen|who put it|lies in|right away|immediately|asks?|arrives?|sent|hands?)\b",), r"%NEVER%|\b(?:i |we |my)\b"),
)
