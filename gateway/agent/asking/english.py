"""English."""

from gateway.agent.asking.words import Words

# An imperative stands at the beginning of a clause; anything else is said to somebody.
_START = (
    r"(?:(?:(?<=^)|(?<=[^\w\s'])|(?<=[^\w\s'] )|\b(?:please|pls|plz|kindly|and|so|also|just|always|hey|ok|okay|oh|"
    r"but|"
    r"then|now|uh|um|btw|yes|wait|thanks|oye|gently|simply|must|should|might|maybe|definitely|better|both|either|"
    r"or) )"
    r"(?:please |pls |kindly |just |always |also |do |then |you'll |now |maybe )*|"
    r"\b(?:can|could|would|will|wont|won't|can't|cant|couldn't) (?:you|u|ya) (?:please |pls |kindly |just |also |"
    r"always |"
    r"maybe |perhaps |possibly )*|"
    r"\b(?:you|u)(?:'d| had)? (?:should|must|can|could|may|might|better|ought to|need to|have to|want to|"
    r"might want to|"
    r"are to|should always|must always|should really|should also|should please)(?: just| also| always| please)? |"
    r"\b(?:you|u) to (?:please |always |just |permanently |know and )*|"
    r"\bif you(?:'d| could| would| can)?(?: please)? |\b(?:mind|appreciate you|worth|be sure to|make sure to|"
    r"make sure you|"
    r"try to|remember to always|i ask that you|i'd ask you to|go ahead and|time to) )"
)

ENGLISH = Words(
    no=(
        r"\bwhat (?:does|do|is)\b[^.!?]{0,60}\b(?:mean|in (?:english|german|french|spanish|japanese))\b|\bhow (?:2|"
        r"do (?:u|you) say)\b[^.!?]*|\btranslate\b[^.!?]{0,8}:[^.!?]*|\b(?:song|movie|film|poem|story|book|"
        r"novel) (?:called|named|titled)\b[^.!?]*|\b(?:remember|recall) the titans\b",
        r"\bhow (?:do|can|could|should|to|would|does)\b[^.!?]*",
        r"(?:do|did|does|didn't|have|had|would|are) (?:you|u|we|they|i|anyone|people) (?:even |still |ever |really |"
        r"also |happen to )?(?:remember|recall|know|save|store|note|forget|keep|saved|stored|noted|kept|"
        r"forgotten)\w*",
        r"(?:can|could) (?:you|u) (?:still |even )?(?:remember|recall)(?= (?:what|who|where|when|how|which|why|if|"
        r"anything|"
        r"me\b|us\b|our|the|last|my \w+\?))",
        r"remember (?:when|how|the time|the day|those|that (?:time|day|night|one|song|movie|guy|scene|trip|summer)|"
        r"this (?:song|movie|guy|one|game)|back when|us\b|me\b(?! as\b)|last)",
        r"remind\w*",
        r"(?:don't|dont|do not|never|and not) forget (?:to (?!always|never|use|answer|reply|respond|call me|address|"
        r"write|speak)|me\b|your|about me\b|who you)",
        r"remember to (?!always|never|use|answer|reply|respond|call me|address|write in|speak|keep|mention|include)",
        r"\b(?:i|we|they|he|she|who|people|everyone)(?: just| always| often| keep| can| can't| cannot| could|"
        r" couldn't| don't|"
        r" didn't| never| still| really| totally| almost| would| will| should| hardly|'ll|'d| to)* (?:forget|forgot|"
        r"remember|"
        r"forgetting)\b",
        r"(?<!n't )(?<!dont )(?<!n't you )(?<!not )(?<!never )(?<!n't ever )forget (?:it|about it|that|"
        r"this)(?= ?(?:$|[,;!.]|then|let's|lol|haha|i was))",
        r"forget (?:about )?(?:that|this|the|my|what|i)(?: \w+)? ?(?:last |first |previous |earlier )?(?:question|"
        r"asked|idea|"
        r"plan|request|prompt|said(?= (?:just|a moment|before|earlier))|joke|task|message)\b",
        r"(?:forget|forgot) (?:about )?(?:the )?(?:rest|past|all your instructions|previous instructions)",
        r"\b(?:i|we|i'd like to|want to|need to|trying to) (?:want to |need to |would like to |have to |"
        r"am trying to )?(?:memori[sz]e|learn|remember)\b[^.!?]{0,30}(?:vocab|words|poem|song|text|speech|lines|"
        r"kanji|dates)\w*|change (?:the |our )?(?:subject|topic)",
        r"save (?:money|time|space|energy|me (?:time|the|a|from)|the (?:day|world|date)|yourself|up\b)",
        r"(?:note|remember) to self(?! for you)",
        r"note (?:the|any) (?:difference|similarit)\w*",
        r"hard to (?:remember|forget)|easy to (?:remember|forget)|to be remembered|ways? to remember",
    ),
    remind=(
        r"\bdon'?t (?:u |you )?(?:4get|4git|forgit|fogret|froget|fergit)\b|\bdon't (?:you |ever |you ever |"
        r"you dare )+forget\b",
        r"(?:do ?n'?t|do not|dnt|never|don't you(?: dare| ever)?|mustn'?t|must not|shouldn'?t|not to|"
        r"without) (?:you |u |ever |please |dare |ever )*"
        r"forge?t+(?:ting)?\b",
        r"(?:don'?t|do not|never) (?:let|ever let) (?:this|that|it|my)[^.!?]{0,40} slip\b",
        r"(?:don'?t|do not) (?:lose|overlook|lose track of) (?:this|that|the fact|sight of)",
    ),
    keep=(
        r"\b(?:can|could|may|might) i (?:ask|get|trouble|have|bother) (?:you|u) (?:to )?(?:please )?(?:remember|"
        r"save|note|keep|store|memori[sz]e|bear)|\bpossible (?:for you )?to (?:remember|save|note|keep|store|"
        r"memori[sz]e)\b",
        r"(?:^|[.,:;] ?|please )(?:know|be aware|be advised|bear in mind|understand)(?: please)?,? (?:that )?(?:i\b|"
        r"i'm|my|we\b|our)|\bdo remember\b|\bon your radar\b|\bthink of me as\b|\btreat me as\b[^.!?]*\b(?:from|"
        r"always|now)\b",
        r"\b(?=re?m|sa|me)(?<!\bi )(?<!\bwe )(?<!\bto )(?<!you )(?<!can't )(?<!cant )(?<!they )(?<!not )(?<!don't )"
        r"(?<!didn't )(?<!he )(?<!still )(?<!i'll )(?:remember|remeber|rember|rmr|memori[sz]e|save)(?= (?:that |"
        r"dat )?"
        r"(?:i'?m|i am|i have|i like|i live|i can't|i cant|i don't|i dont|i hate|i prefer|i use|i only|my|our)\b"
        r"(?! (?:name\?|first)))",
        r"(?<!\bi )(?<!\bwe )(?<!\bto )\bnote (?:this|that|it) down\b|\bnote (?:for|4) (?:later|the future|future|"
        r"next time|u|you)\b|\bjust so (?:you|u|ya) know\b|\b(?:add|put) (?:this|that|it) to (?:your|ur) (?:memory|"
        r"notes)\b",
        r"\b(?:would|do|could) (?:you|u) (?:mind|please|kindly)? ?(?:remembering|keeping|noting|memori[sz]ing|"
        r"storing|saving|making a note)\b",
        r"\b(?:file|tuck|stash|store|squirrel|put|lock) (?:this|that|it|these|this one|that one)(?: \w+)? away\b|"
        r"\bfile (?:this|that)(?: one)? under\b",
        r"\bplease (?:note|remember|save|record|store)\b(?! (?:the|how|any))|\band (?:please )?note (?:somewhere|"
        r"down|that i|that my|for)\b",
        r"\b(?:something|a fact|things?|one thing|info|information|facts?|detail|details|"
        r"a detail)(?: \w+){0,3}? (?:to|worth) (?:remember|note|keep|keeping|hang on to|hold on ?to|save|"
        r"memori[sz]e|know about me|bear in mind)\b",
        r"\bkeep (?:track|a record|a note|record|a log|tabs) (?:of|on) (?:the fact|this|that|my|it)\b|"
        r"\bkeep a (?:record|note|log) of\b",
        r"\b(?:for|in) (?:all|any|every) (?:our |your |my )?(?:future|later|further) (?:chats?|conversations?|"
        r"answers?|replies|messages|sessions?|talks?)\b",
        r"\bmake sure (?:that |it |this )?(?:sticks|you (?:know|remember|keep|save|note)|is (?:saved|stored|noted|"
        r"remembered))\b|\bmake (?:it|this|that) stick\b",
        r"\b(?:yo|hey|oi|bro|dude|mate|k|also|n) (?:note|remember|rmr|save)\b|\b(?:rmr|rmbr|remembr|rember|remeber|"
        r"remmeber|remeberr|rmmbr) (?:that |this |im |i'm |i |my )",
        r"\b(?:save|store|note) (?:this|dis|dat|that)\b ?(?:down)?:|\byou(?:'ll| will) (?:want|need) to (?:remember|"
        r"know|keep|save)\b|\bdon't let me (?:have to )?(?:repeat|tell you)\b",
        r"\b(?:let|allow) me (?:have|get) (?:this|that) (?:saved|stored|on record)\b|"
        r"\bpass(?:ing)? this (?:along )?for your memory\b|\bconsider (?:this|that|it) (?:saved|noted|stored)\b",
        _START + r"(?:remember|rember|remeber|rmbr|memori[sz]e|recall that)\b",
        r"\bif (?:you|u) (?:remembered|kept|noted|memori[sz]ed|stored|saved)\b",
        r"\b(?:keep|bear|hold|have|carry|keeping|bearing)(?: \w+){0,6}? (?:in|at the back of|"
        r"in the back of) (?:your |ur )?"
        r"(?:mind|head)\b",
        _START + r"(?:make|take|leave|keep|add|put|pop|stick|write) (?:yourself )?(?:a )?(?:quick |mental |little |"
        r"permanent )?"
        r"notes?\b(?: (?:of|that|to|for|about|down|in|on)\b|[:,;!.]|$| somewhere| i| my)",
        _START + r"note(?: down)?(?: for (?:the future|later|next time|future|yourself|reference)\b| that (?:i|my|"
        r"i'm|we|our|"
        r"the correct)\b| (?:this|that|it)(?: down| somewhere|$|[,:;!.]| for| about| in)|:| down|,? (?:i'm|i|my|our|"
        r"we) )",
        r"\bnote to self for you\b|\bnote for (?:the )?(?:future|later|next time)\b|\bfor your (?:notes|records|"
        r"memory|files)\b",
        r"\b(?:for|as) (?:a )?(?:future|later|your|permanent) (?:reference|information|note|knowledge)\b",
        _START + r"(?:jot|write|put|take|mark|get|set|scribble|pop)(?: \w+){0,4}? down\b",
        r"\b(?:commit|committing)(?: \w+){0,8}? to (?:your |long-term )?memory\b",
        _START + r"(?:hang|hold) on ?to (?:this|that|it|the fact|my)\b",
        r"\b(?:want|like|need) (?:you|u) to know\b|\bjust so (?:you|u) know\b|\bso (?:that )?you know (?:for|next|"
        r"in)\b|"
        r"\bfor you to know\b|\byou should know (?:that )?(?:i|my|about)\b|\bknow this about me\b",
        r"\b(?:get|burn|drill|hammer|etch|lock|tuck|file|stash|squirrel)(?: \w+){0,4}? (?:into|in|away)\b[^.!?]{0,20}"
        r"(?:head|brain|memory|away|it in)\b",
        r"\b(?:on record|on file)\b(?=[^.!?]{0,30} that\b)|\blet the record show\b",
        r"\b(?:worth|deserves) (?:keeping|remembering|noting|saving|storing|a note)\b(?=[^?]*$)",
        r"\b(?:keep|have|leave|hold|want|get)(?: \w+){0,5}? (?:stored|saved|noted|remembered|memori[sz]ed|on file|"
        r"on record|"
        r"handy|permanently|recorded|written down|logged)\b",
        r"\b(?:take|taking)(?: \w+)? into account (?:from|in future|always|every|when(?:ever)?|for)\b|"
        r"\btake (?:it|that|this) into (?:account|consideration)\b",
        r"\blearn (?:this|that (?:i|my)) ",
    ),
    save=(
        _START + r"(?:save|store|record|log|retain|stash|archive|register|preserve|memori[sz]e|svae)\b",
    ),
    store=(
        _START + r"(?:save|store|log|record|file|keep|stash|add|put|write|register|pin|retain|archive|enter|hold|"
        r"include|"
        r"stick|capture|preserve|track|bank|park|drop|pop|bookmark|insert|append)\b",
        r"\bi(?:'d| would) (?:like|want|love)[^.!?]{0,30}(?:saved|stored|kept|recorded|added)\b",
    ),
    forget=(
        r"\b(?:should|can|must|may|needs? to|has to|have to) (?:disappear|vanish|go|be (?:forgotten|deleted|erased|"
        r"gone|wiped|removed))\b[^.!?]{0,20}(?:memory|notes|records|storage|$)",
        r"\blet go of (?:what|everything|my|that|the)\b|\bpretend (?:i|you) never (?:told|said|heard|mentioned|"
        r"knew)\b|\bas if i(?:'d)? never (?:told|said|mentioned)",
        r"\bi (?:take|took) (?:it )?back what i (?:said|told)\b[^.!?]{0,30}\b(?:forget|delete)\b",
        _START + r"(?:forget|unlearn|disremember|un-?remember)()(?: about| all about| completely)? (?:that i|what i|"
        r"i\b|i'm|my|"
        r"our|everything|anything|all|the (?:thing|stuff|fact|bit|part|name|code|number|address|note|details?|one|"
        r"story)|"
        r"who i|where i|when i|whatever|me\b|her\b|him\b|that (?:thing|stuff|one|bit|part)|any|both|\w+'s|about)",
        _START + r"forget() (?:it|that|this|them) (?:please|again|completely|forever|from|and (?:delete|remove|"
        r"erase))",
        r"\b(?:i need|want|like|ask|asking|rather) (?:you|u)?(?: to| would| could|'d)* ?forget\b",
        r"\b(?:please|kindly|can you|could you|would you) (?:just )?(?:forget|unlearn)()\b(?! (?:the|that|this|"
        r"about) ?(?:last|"
        r"previous|question|it))",
        r"\bstop (?:remembering|storing|keeping|saving|bringing up|mentioning|holding)\b",
        r"\bno longer (?:need|want|have) (?:you )?to (?:remember|know|keep|store)|\bno need to (?:keep|remember|"
        r"store)\b",
        r"\b(?:don'?t|do not|never) (?:need to |have to |want you to |want you |you )?(?:remember|store|save|keep|"
        r"retain|"
        r"hold on ?to|hang on ?to|know)(?:ing)?() (?:that|this|it|my|anything|any|about|the|where|what|who|how|"
        r"when)\b",
        r"\byou (?:don't|do not|needn't|needn't|no longer) (?:need|have|should)?(?: to)? ?(?:remember|keep|store|"
        r"know)\b",
        r"\bgone from (?:your|ur)\b|\bout of your (?:memory|head|mind|notes)\b",
    ),
    drop=(
        r"(?<!\bi )(?<!\bwe )(?<!how to )(?<!\bdo i )(?:delete|remove|erase|wipe|scrub|purge|clear|get rid of|"
        r"discard|"
        r"strike|scratch|cross out|cross off|expunge|throw out|throw away|take out|take off|bin|dump|lose|destroy|"
        r"toss|scrap|nuke|zap|"
        r"blank|unsave|ditch|eliminate|drop|rid)\b",
        r"\btake (?:it|that|this|my \w+|the \w+) (?:out|off)\b|\b(?:cross|strike|wipe|rub) (?:it|that|this) (?:out|"
        r"off)\b|"
        r"\bgone\b|\b(?:deleted|removed|erased|wiped)\b|\blet (?:it|that|this) go\b|\b(?:cross|strike|scratch|"
        r"knock)\b[^.!?]{1,30}\b(?:off|out)\b",
    ),
    change=(
        r"(?<!\bi )(?<!\bwe )(?<!\bto )(?<!\bhave )(?:change|update|correct|fix|amend|revise|adjust|edit|replace|"
        r"swap|"
        r"modify|alter|rewrite|reword|rectify|switch|overwrite|refresh|rename|chnge|updat)\b(?! (?:address|answer|"
        r"number)\b)",
        r"(?:you|u|want|like) to (?:change|update|correct|fix|amend|revise|adjust|edit|replace|modify|alter)\b",
        r"\b(?:set|put) (?:it|that|this|the record) (?:right|straight|to)\b|\bmake (?:it|that) (?:say |read )?\w+|"
        r"\bbring[^.!?]{0,40}up to date\b|\bshould (?:now )?(?:be|read|say)\b|\bneeds? (?:updating|correcting|"
        r"changing|"
        r"fixing|to be (?:updated|corrected|changed))\b",
        r"\b(?:updated|corrected|amended|changed|fixed)\b(?=[^.!?]{0,20}$)|\bput (?=\w+(?: instead)?$|\d|it as|down)",
    ),
    memory=(
        r"(?:your|ur|you're|the|that|this|its|long-term|my user|from|in|to|into|2|2 ) (?:long-term |saved |stored |"
        r"own |"
        r"internal |permanent |persistent )?(?:memory|memories|memry|notes?|records?|profile|knowledge|database|"
        r"memory bank|"
        r"entry|entries|file on me|notebook|data on me|data about me)\b(?! of (?:the|this) (?:meeting|call))",
        r"my (?:user |personal )?(?:profile|entry|record|data)\b",
        r"(?:you|u)(?:'ve| have| had|'d)?(?: got| also| still| already| just| wrongly| currently)* (?:save|saved|"
        r"store|stored|"
        r"note|noted|remember|remembered|know|knew|keep|kept|recorded|wrote|written down|learned|learnt|hold|held|"
        r"put down|"
        r"jotted|logged|memori[sz]ed|filed|wrote down)\b",
        r"(?:you|u)(?:'ve got| have| got)(?: \w+){1,5}? (?:wrong|incorrectly|down|on file|on record|stored|saved|"
        r"noted|as)\b",
        r"(?:have|got)(?: \w+)?(?: down)? (?:on|about) me\b|(?:on file|on record)\b",
        r"(?:i|i've|i'd)(?: have| had)?(?: just)? (?:told|asked|gave|given|had|shared with|mentioned to) (?:you|u)\b",
        r"(?:what|everything|anything|all|whatever|things?|facts?|info|information|data|details|"
        r"stuff)(?: that)? (?:you|u)(?:'ve| "
        r"have)? (?:know|have|got|hold|keep)\b",
        r"(?:info|information|data|details|facts?|things?|everything|anything|know|known|learned|stored|"
        r"saved)(?: \w+)? "
        r"(?:about|on|regarding) (?:me|my|us|our)\b",
        r"(?:stored|saved|remembered|recorded|noted) (?:\w+ ){0,2}(?:address|number|name|birthday|data|info\w*|fact|"
        r"details?|"
        r"entry|entries|code|note|preference|value|version|one)\b",
    ),
    other=(
        r"files?|documents?|docs?|paragraphs?|sentences?|code|scripts?|functions?|variables?|e-?mails?|tone|texts?|"
        r"essays?|"
        r"letters?|images?|pictures?|photos?|colou?rs?|fonts?|slides?|spreadsheets?|columns?|rows?|cells?|browser|"
        r"history|"
        r"cache|cookies|apps?|pdf|folders?|downloads?|disk|drive|ram|branch|commit|css|html|\w+\.(?:txt|md|py|js|"
        r"docx?|csv|"
        r"pdf|json)|pic|pics|png|jpe?g|gif|video|screenshot|recording|meme|intro|introduction|headings?|titles?|"
        r"lines?|words?|bullets?|settings|phone|windows|account|"
        r"calendar|"
        r"playlist|clipboard|repo|reminder|alarm|timer|draft|poem|story|summary|list|table",
    ),
    stale=(
        r"no longer|any ?more|now|new|changed|moved|wrong|incorrect|outdated|out of date|actually|used to|not right|"
        r"instead|isn't|its not|it's not|mistake|misspelled",
    ),
    mine=(r"my|mine|me|i|i'm|im|i've|our|we",),
    this=(r"this|that|it|these|those|the fact|the following|them",),
    lasting=(
        r"from now on|from here on|going forward|from today|as of (?:today|now)|henceforth|in (?:the )?future|"
        r"for the future|"
        r"for next time|in all future|at all times|from this point|for later|until further notice|every time you|"
        r"whenever you|when you (?:answer|reply|write)",
    ),
    asked=(
        r"(?:and |so |but |ok |hey )?(?:what|which|why|how|who|when|where|whose|what's|is there|are there|is it|"
        r"should i|"
        r"do i|can i (?!ask|get|trouble|have)|does|did|have you|do you)\b",
    ),
    fillers=(
        "entry entries get rid delete remove erase please pls plz kindly and so also just always hey ok okay oh but "
        "then now uh um btw yes wait thanks could "
        "can would "
        "will should must might you u to i i'd like want need this that it these those them is be me for of in on "
        "at the a "
        "your my mind memory memories note notes down head file record records stored saved fact following about "
        "future "
        "reference later next time long-term put add too really permanently good idea worth keeping well think "
        "thing one "
        "more by way if great appreciate remember remembering know say again every don't have do not forget "
        "somewhere "
        "profile let yourself self with what from as there here because since up may important"
    ),
    ahead=(r"that|the fact that|about me|for me|for (?:the )?(?:future|later|next time|me)|down|in mind|please|"
    r"the following|"
           r"this|about|to self|in your (?:\w+ )?(?:memory|notes)|to your (?:\w+ )?(?:memory|notes)|it",),
)  # fmt: skip
