"""Portuguese, of Brazil and of Portugal."""

from gateway.agent.asking.words import Words

_ASK = (
    r"(?:(?:voce|o senhor|a senhora|tu|vc|cê)(?: bem)? (?:pode|poderia|podia|deve|deveria|devia|precisa|podes|"
    r"poderias|devias|consegue|tem que|tem de)|"
    r"pode|poderia|podia|podes|podias|poderias|consegue|consegues|da (?:pra|para)|tem como|quero que|queria que|"
    r"gostaria que|"
    r"gostava que|preciso que|seria (?:otimo|bom|legal|util) (?:se|que)|importa(?:-se|va-se)? de|faca o favor de|"
    r"faz (?:o |um )?favor de|"
    r"peco que|agradecia que|agradeco que|trate de|trata de|convem|deve|deves|devias|devia|deverias|deveria|tens de|"
    r"tens que|favor|e bom|"
    r"importa-se que|queira|era bom que|para que|se puder|se puderes)"
)
_KEEP = (
    r"(?:lembr(?:ar|e|es|asse|asses|ares)|memoriz(?:ar|e|es|asse)|anot(?:ar|e|es|asse)|guard(?:ar|e|es|asse|asses|"
    r"ares)|grav(?:ar|e|es|asse)|"
    r"salv(?:ar|e|es|asse)|registr(?:ar|e|es|asse)|regist(?:ar|e|es)|record(?:ar|e|es)|saib(?:a|as)|soubesse|"
    r"fix(?:ar|e|es|asse)|reter|"
    r"ter em (?:mente|conta)|tenh(?:a|as) em (?:mente|conta)|tivesse em (?:mente|conta)|apont(?:ar|e|es)|decor(?:ar|"
    r"e))(?:-?(?:se|lo|la|te|me))?"
)

PORTUGUESE = Words(
    no=(
        r"\b(?:que significa|o que quer dizer|como se diz|como se fala)\b[^.!?]*",
        r"\bcomo (?:posso|faco|se|e que|devo|apago|guardar|apagar|mudar|memorizar|salvo|eu)\b[^.!?]*",
        r"(?:voce|vc|tu|o senhor|a senhora|ainda|te|ce)(?: ainda| se| te)* (?:lembra|lembras|lembrou|guardou|salvou|"
        r"anotou|guardaste|anotaste|sabe|sabes)\b"
        r"(?=[^.!?]{0,60}\?)|(?:lembras-te|lembra-se|recordas-te)(?=[^.!?]{0,60}\?)",
        r"\bme (?:lembr[ae]|record[ae]|lembrou|lembram|lembrar)\b|lembr[ae]s?-(?:me|nos)|\bme lembrando|lembrete\w*|"
        r"nao (?:me )?lembro|me lembro|avisa-me|me avis[ae]",
        r"lembr[ae](?:-te|-se|s|-se de)? (?:quando|daquel\w*|da vez|do dia|de quando|como)|lembre-se de mim|"
        r"^\W*lembra de mim|(?:lembr[ae]|record[ae]) (?:a|o) minha \w+\?",
        r"nao (?:se |te )?esquec\w+ (?:de )?(?:respirar|comprar|ligar|trazer|levar|fechar|apagar|tomar|mim)|"
        r"nao me esquec\w+",
        r"(?<!nao )(?<!nao se )(?<!nao te )(?<!nao me )(?<!n )(?<!nunca )(?:esquec[ea]|esquece)(?: (?:isso|isto|la|"
        r"essa|tudo))?(?= ?(?:$|[,;.!]|deixa|era\b|kk|rs|haha))|(?:deixa|"
        r"deixe) (?:pra la|para la|quieto|estar)|"
        r"esquec[ea](?:-te da| a| essa| esta| da)? (?:minha |essa |ultima )*(?:pergunta|ideia|pedido)|eh esquec\w+",
        r"(?:eu |me |a gente |nos |ele |ela |esqueci|sempre )(?:me |nos |se )?(?:esqueci\w*|esquecemos|esquece|"
        r"esqueceu)\b|esqueci\w*|esquecemos|nunca (?:vou |me )?esquec\w+ (?:a|o|aquel\w+)|"
        r"inesquecivel",
        r"(?:guardar|poupar|salvar) (?:dinheiro|a vida|o mundo|o dia)|grave(?= (?:problema|doenca|acidente|erro))|"
        r"nota baixa|vale a pena (?:lembrar|guardar|memorizar)|"
        r"note que|tomar notas|anot[ae] as diferencas",
    ),
    remind=(
        r"(?:nao|nunca|n|nem) (?:se |te |me |vai |va |vas |pode |podes |deixe de |lhe |o )*(?:esquec(?:a|as|e|er|es|"
        r"am)|eskec\w+)(?:-?(?:se|te))?\b|sem esquecer|que nao (?:se|te) esqueca\w*",
    ),
    keep=(
        r"\b(?:possivel|pedir)\b[^.!?]{0,40}\b(?:lembrar|guardar|anotar|memorizar|lembrares|guardares|anotares|"
        r"lembre|guarde|anote|lembres|guardes)\b|\b(?:ciente|consciente) de que\b|\b(?:voce|vc) (?:anota|guarda|"
        r"salva|grava) (?:ai|isso|pra mim|que)\b|\banot[ae] pra mim\b",
        r"\bpara (?:referencia|consulta)s? futuras?\b|\bpara futuras? (?:referencias?|conversas|respostas)\b|"
        r"\blembr[ae](?:-te|-se)?,? (?:de |das |destas |dessas )?(?:tres|duas|dois|uma|umas|algumas|seguinte|estas|"
        r"isto|isso|coisas|meu|minha|que)\b|\bque fique (?:claro|registrad\w|gravad\w)\b|\bnao (?:perca|"
        r"percas) (?:isso )?de vista\b",
        r"(?:^|[^\w\s] ?|\b(?:e|tambem|favor|pfv|pf|entao|ai|ja|so|mas|sempre|pois|oi|ok|aproveita e|paso|olha|"
        r"por isso|dai) )(?:lembr[ae]|lembrem|record[ae])(?:-(?:te|se))?"
        r"(?: bem| sempre| ai| tambem| por favor|,)*(?: ?(?:que|de que|disso|disto|isso|isto|do|da|dessa|deste|dos|"
        r"das|o|a|sempre|ai|para|pra|meu|minha|eu)\b| ?[:,!]| ?$)",
        r"\b(?:lembr[ae]|record[ae])(?:-te|-se|-te disso)?,? (?:de )?que\b|\b(?:lembr[ae])-(?:te|se) (?:disso|disto|"
        r"que|de que|sempre)|\b(?:se|te) lembr[ae] (?:disso|que|de que)",
        r"\b(?:memoriza|memorize|memorizem|decora|decore|fixa|fixe)(?:-?(?:lo|o|a|se))?\b(?! (?:o|a) (?:texto|tela))",
        r"(?:^|[^\w\s] ?|\b(?:e|tambem|favor|pfv|entao|ai|ja|so|mas|pois|por isso|quero que|dai) )(?:anot[ae]|"
        r"apont[ae]|anotem)(?:-(?:o|a|te|se|me))?\b(?! as (?:diferencas|principais))",
        r"\btom[ae] (?:boa |bem |devida )?nota\b|\bfaz(?:e|er)? uma (?:nota|anotacao)\b|\bfaca uma (?:nota|"
        r"anotacao)\b",
        r"\b(?:tenh?a|tem|ter|tende|tenhas|mantenha|mantem|leva|leve|levar|toma|tome|carregue|bota|bote|poe|ponha|"
        r"mete|coloca|coloque)\b(?:-o|-a|-no)?(?: \w+){0,8}? (?:em mente|em conta|em consideracao|"
        r"na cabeca|presente|na memoria|em linha de conta)\b",
        r"\b(?:guard[ae]|grav[ae])(?:-o|-a|-te)?\b(?: \w+){0,6}? (?:na (?:sua |tua )?(?:memoria|cabeca|mente)|"
        r"em mente|bem|para (?:sempre|depois|a proxima|mais tarde)|pra (?:depois|proxima|sempre)|ai)\b",
        r"\bfi(?:ca|que|ques)(?: \w+)? (?:com (?:isso|isto|essa|esta)|sabendo|registrado|registado|gravado|guardado|"
        r"anotado|a saber|ciente)\b|\bfique registrad\w+|\bfica com (?:isso|isto)",
        rf"{_ASK}\b[^.!?]{{0,60}}\b{_KEEP}\b(?! (?:dinheiro|este arquivo|o arquivo|este ficheiro))",
        r"\b(?:deixe|deixa|deixar) (?:isso |isto |ai |bem )*(?:registrad\w|registad\w|anotad\w|gravad\w|guardad\w|"
        r"salv\w|apontad\w|escrit\w)\b",
        r"\b(?:pra|para) (?:voce|tu|vc|o senhor|a senhora) (?:ja |ficar )?(?:saber|saberes|sabendo|lembrar|"
        r"lembrares)\b|\bsaib[a](?:s)? que\b|\bpara (?:saberes|lembrares)\b|"
        r"\bpara (?:seu|teu) (?:governo|conhecimento)\b",
        r"\b(?:anote|registre|registe|registra|regista|grave|grava|salve|salva|guarde|guarda|arquiva|"
        r"arquive)\b(?:-o)?(?: \w+)? ?(?:isso|isto|que (?:eu|sou|meu|minha|nao|nos|nossa|nosso)|sobre mim)\b",
    ),
    save=(
        r"\b(?:guard[ae]|grav[ae]|salv[ae]|registr[ae]|regist[ae]|arquiv[ae]|armazen[ae]|anot[ae]|apont[ae]|guardar|"
        r"gravar|salvar|registrar|"
        r"registar|arquivar|armazenar)(?:-(?:o|a|os|as|me|te))?\b",
    ),
    store=(
        r"\b(?:guard[ae]|grav[ae]|salv[ae]|registr[ae]|regist[ae]|arquiv[ae]|armazen[ae]|adicion[ae]|acrescent[ae]|"
        r"inclu[ia]+|coloc[ae]|coloque|bot[ae]|poe|ponha|"
        r"mete|meta|inscrev[ae]|escrev[ae]|cadastr[ae]|insir[ae]|insere|junt[ae]|anexa|conserv[ae]|apont[ae]|"
        r"anot[ae]|deixe|deixa)(?:-(?:o|a|os|as|me|te))?\b",
        r"\b(?:guardar|gravar|salvar|registrar|registar|arquivar|armazenar|adicionar|acrescentar|incluir|colocar|"
        r"inserir)(?:-(?:o|a))?\b",
    ),
    forget=(
        r"(?<!nao )(?<!nao se )(?<!nao te )(?<!nunca )(?<!n )\besque(?:ce|ca|cas|ces|cam)(?:-(?:te|"
        r"se))?()(?: por favor| tudo| tambem| de| completamente| de vez|,)* ?(?:o que|que|de que|meu|minha|"
        r"meus|minhas|o meu|a minha|os meus|as minhas|tudo|do meu|da minha|dos|das|do que|daquilo|aquilo|isso e|"
        r"onde|quem|quando|nosso|nossa|o nosso|a nossa|do|da|o|a (?!pergunta)|qualquer|aquela|aquele)\b",
        rf"{_ASK}\b[^.!?]{{0,40}}(?<!nao )(?<!nao se )(?<!nao te )\besquec(?:er|a|as|esse|esses|eres)(?:-se)?\b",
        r"\b(?:para|pare|deixa|deixe) de (?:se |te )?(?:lembr\w*|guard\w*|record\w*|memoriz\w*|armazen\w*|salv\w*|"
        r"menciona\w*|anot\w*)\b",
        r"\bnao (?:o |a |se |te |precisa |precisas |quero que (?:voce |tu |vc )?|guarde mais |mais )*(?:lembr(?:e|"
        r"es|ar)|guard(?:e|es|ar)|memoriz(?:e|es)|salv(?:e|es)|record(?:e|es)|"
        r"armazen(?:e|es)|retenh(?:a|as)|anot(?:e|es)|grav(?:e|es))(?:-o|-se)?\b",
        r"\bnao (?:quero|precisa|precisas|preciso|desejo)\b[^.!?]{0,40}\b(?:que (?:voce |tu |vc )?(?:saiba|saibas|"
        r"continue|continues|lembre|guarde|tenha)|lembrar|guardar|saber|lembre|guardes)\b",
        r"\bdesaprend[ae]\b",
    ),
    drop=(
        r"\b(?:apag(?:a|ue|ues|ar)|delet(?:a|e|ar)|remov(?:e|a|er)|exclu(?:i|a|ir)|elimin(?:a|e|ar|es)|retir(?:a|e|"
        r"ar)|tir(?:a|e|ar)|risc(?:a|ar)|risque|limp(?:a|e|ar)|"
        r"descart(?:a|e|ar)|jog(?:a|ue) fora|suprim(?:e|a|ir)|some|suma|desapare\w+|rasgue|rasga|deit[ae] fora|"
        r"esvazi[ae]|joga|destru[ia]\w*|tira)(?:-(?:o|a|os|as|me))?\b",
    ),
    change=(
        r"\b(?:mud(?:a|e|ar|es)|alter(?:a|e|ar|es)|atualiz(?:a|e|ar|es)|actualiz(?:a|e|ar)|corrig(?:e|ir)|"
        r"corrij(?:a|as)|troc(?:a|ar)|troque|modific(?:a|ar)|modifique|"
        r"substitu(?:i|a|ir)|ajust(?:a|e|ar)|arrum(?:a|e|ar)|consert(?:a|e|ar)|retific(?:a|ar)|retifique|"
        r"rectific(?:a|ar)|edit(?:a|e|ar)|emend(?:a|e|ar)|poe|ponha|poem|"
        r"coloca|coloque|bota|bote|revis(?:a|ar)|reveja|passa|passe|acert(?:a|e|ar)|renov(?:a|e)|reescrev(?:e|a)|"
        r"adapt(?:a|e)|refaz|mete)(?:-(?:o|a|os|as|me))?\b",
    ),
    memory=(
        r"memory\b",
        r"(?:sua|suas|tua|tuas|teu|teus|seu|seus|meu|na|nas|da|das|do|de|a|as|o|os|essa|esse|esta|uma|"
        r"minha)(?: propri\w+)? ?(?:memorias?|notas?|anotac\w+|apontamentos?|perfil|ficha|registr?os?|"
        r"entrada|lembrancas? (?:sobre|de mim)|dados (?:que|guardad\w*|sobre|salv\w*|de mim)|banco de dados|"
        r"cadastro|informac\w+ (?:que|sobre|guardad\w*|salv\w*)|caderno)\b",
        r"(?:guardou|salvou|anotou|registrou|guardaste|anotaste|registaste|gravou|gravaste|memorizou|sabe|sabes|"
        r"lembra de mim|lembras|(?:voce|vc|tu) (?:tem|tens|lembra|conhece|guarda)|tens (?:a|o|guardad\w*|"
        r"anotad\w*|registad\w*|mal|errad\w*)|tem (?:guardad\w*|anotad\w*|salv\w*|registrad\w*|errad\w*|sobre mim|"
        r"de mim|ai)|salvaste|apontaste|apontou|decorou|aprendeu)\b",
        r"(?:te|lhe|eu|voce|vc) (?:disse|contei|dei|falei|tinha dito|pedi|tinha contado|mencionei|passei|informei|"
        r"havia dito)\b|(?:disse|contei|falei|pedi|dei|mencionei)(?:-te|-lhe)?(?: (?:pra|para|a) (?:voce|vc|ti))",
        r"(?:disse|contei|dei|falei|pedi)-(?:te|lhe)|(?:guardad|anotad|salv|gravad|registrad|registad|memorizad|"
        r"armazenad)[oa]s?\b|sobre mim\b|o que (?:tens|tem|sabe|sabes)\b",
    ),
    other=(
        r"arquivos?|ficheiros?|documentos?|paragrafos?|frases?|codigo (?:html|css)|deste codigo|este codigo|script|"
        r"funcao|variavel|e-?mails?|mail|tom|texto|redacao|carta|imagem|imagens|"
        r"fotos?|cor|cores|fonte|slides?|tabela|coluna|linha|navegador|historico|cache|cookies|app|aplicativo|"
        r"aplicacao|pdf|pasta|ram|disco|"
        r"alarme|despertador|temporizador|\w+\.(?:txt|md|py|js|docx?|csv|pdf)|titulo|rascunho|poema|historia|lista|"
        r"dinheiro|conta|calendario|"
        r"agenda|configurac\w+|senha",
    ),
    stale=(r"ja nao|nao (?:sou|e|moro|tenho|trabalho) mais|agora|nov[oa]s?|mudou|mudei\w*|errad[oa]s?|incorret\w*|"
    r"na verdade|se escreve|escreve-se|mas sim|desatualizad\w*|"
           r"nao mais|casei\w*|antes|antig\w+",),
    mine=(r"meu|minha|meus|minhas|sou|eu|estou|me|noss[oa]s?|tenho|moro",),
    this=(r"isso|isto|esse dado|este dado|essa informacao|\w+-(?:o|a|os|as)|que (?:eu|sou|meu|minha|meus|minhas|nao|"
    r"noss\w+|o meu|a minha)|o meu|a minha|meu|minha|ai|aquilo",),
    lasting=(
        r"(?:de|a partir de|desde) (?:agora|hoje|ja)(?: em diante| pra frente| para a frente)?|daqui (?:em diante|"
        r"pra frente|para a frente|por diante)|doravante|"
        r"(?:para|pra|na|da) (?:a )?proxima(?: vez)?|para (?:o )?futuro|no futuro|futuramente|de hoje em diante|"
        r"para mais tarde|pra depois|a partir deste momento",
    ),
    asked=(
        r"(?:e |mas |ok |entao )?(?:o que|que|qual|quais|como|por que|porque|porque e que|quem|quando|quanto\w*|"
        r"onde|sera que|voce lembra|lembras|devo|tem algum)\b",
    ),
    fillers=(
        "por favor pfv e também tambem que isso isto disso disto o a os as de para pra próxima proxima vez futuro "
        "na no sua tua suas "
        "tuas memória memoria notas anotações em mente conta você voce tu senhor senhora deve devia deveria devias "
        "pode poderia podes "
        "se te me lembre lembra lembrar anote anota guarda guarde grava salva salve aí ai só so bem sempre é "
        "importante obrigado "
        "obrigada ok tá ta não nao esqueça esqueca esquece eu já ja registra memoriza memorizar com fica gravado "
        "anotar guardar "
        "longo prazo sobre mim ter tenha leve leva então entao seria ótimo bom da daqui frente saber toma nota um "
        "uma disso"
    ),
    ahead=(r"-?(?:te|se|o|a)\b|que|de que|do seguinte|isso|isto|para (?:a proxima(?: vez)?|o futuro|mim)|"
    r"pra proxima(?: vez)?|na (?:sua|tua) (?:memoria|cabeca)|"
           r"nas (?:suas|tuas) (?:notas|anotacoes)|por favor|em mente|em conta|bem|sobre mim|de|ai|sempre|tambem|q",),
)  # fmt: skip
