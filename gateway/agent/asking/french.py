"""French."""

from gateway.agent.asking.words import Words

_ASK = (
    r"(?:peux|pourrais|peut|pourrait|pouvez|pourriez|veux|voudrais|devrais|dois|devriez)[ -]+(?:tu|vous)|"
    r"(?:tu|vous) (?:peux|pourrais|devrais|dois|pouvez|pourriez|devriez|devez|ferais bien de)|"
    r"(?:merci|veuillez|priere|pense|pensez|essaie|tache|veille|il faudrait|il faut|prends soin|je te demande|"
    r"je vous demande)"
    r"(?: bien| donc)?(?: de| d'| a)?|te (?:demande|prie) de|t'est possible de|ca te (?:dit|derange)|"
    r"cela vous derange"
)
_KEEP = (
    r"(?:souvenir|rappeler|retenir|noter|memoriser|garder|conserver|enregistrer|prendre (?:bonne )?note|tenir compte|"
    r"stocker|sauvegarder|inscrire|consigner)"
)

FRENCH = Words(
    no=(
        r"\b(?:comment dit[ -]on|que veut dire|que signifie)\b[^.!?]*|\bveut dire quoi|\bjai oubli\w*|"
        r"\bj ai oubli\w*",
        r"\bcomment (?:puis|mieux|faire|est|on|je|peut|supprimer|enregistrer|changer|modifier|effacer|retenir|"
        r"memoriser)\b[^.!?]*",
        r"(?:tu|vous) (?:te |vous |t'|t'en )?(?:souviens|rappelles|souvenez|rappelez)\b|(?:te|t'en|"
        r"vous)[ -](?:souviens|rappelles|"
        r"souvenez|rappelez)[ -](?:tu|vous)|qu'est-ce que tu (?:retiens|sais)|as[ -]tu (?:bien )?(?:note|garde|"
        r"enregistre|retenu)|"
        r"tu as (?:bien )?(?:note|garde|enregistre|retenu)\w*(?= [^.!?]{0,40}\?)|te souviens|avez-vous (?:note|"
        r"garde|enregistre)",
        r"rappelle(?:z)?[ -](?:moi|le[ -]moi)|rappelle-nous|me rappelle|nous rappelle|rappel (?:a|pour|dans)",
        r"souviens[ -]?toi (?:du jour|de moi|quand|du temps|de la fois|comme|comment)|souviens[ -]toi,? (?:quand|"
        r"lorsque)",
        r"n'?oublie(?:z)? pas de (?!toujours|me |m'|repondre|utiliser|retenir)|n'oublie pas (?:de respirer|tes |"
        r"ton |ta |moi\b)|"
        r"ne m'oublie pas",
        r"oublie(?:z)?(?: (?:ca|cela|tout ca|ma question|ma demande|cette question|ma derniere \w+|la question|"
        r"cette idee|l'idee|"
        r"le dernier message))?(?= ?(?:$|[,;.!]|va\b|c'etait|c'est bon))|laisse tomber|oublie[ -]le?s?[ -]?(?= ?$)",
        r"(?:j'|je |on |il |elle |nous )(?:ai |a |avons |n'|l'|les |y |en )*(?:oubli\w*|retiens|garde|note|"
        r"me souviens|me rappelle)\b",
        r"(?:mauvaise|bonne|haute|basse) notes?\b|(?:utilisation|usage|fuite|barrette) (?:de (?:la )?)?memoire|"
        r"notez? (?:bien )?que l(?:'|es? |a )",
        r"note (?:mettrais|donnerais|de bas|de musique|de frais)|prises? de notes?|faut-il (?:retenir|noter)",
        r"garde(?:z)? (?:le sourire|ton calme|espoir|la peche|la monnaie)|sauve(?:garde)? qui",
        r"oublie-t-on|ne pas oublier|inoubliable",
    ),
    remind=(
        r"n'? ?oubli(?:e|es|ez|er)?(?: \w+)?,? (?:surtout |jamais )?(?:pas|jamais)|(?:^|\W)oubli(?:e|es|"
        r"ez)(?: surtout)? (?:pas|jamais)\b|"
        r"n'oublie jamais|ne (?:l'|les |m'|le )?oubli(?:e|ez|es) (?:pas|jamais|surtout)|ne pas (?:l')?oublier que",
    ),
    keep=(
        r"\b(?:possible|te demander|vous demander)\b[^.!?]{0,40}\b(?:retenir|noter|memoriser|garder|retiennes|notes|"
        r"souviennes|souvenir)\b|\bconscient\w* que (?:je|j'|mon|ma)\b|\b(?:tu|vous) (?:me )?(?:notes|notez|retiens|"
        r"retenez|gardes|gardez) (?:bien )?(?:que|ca)\b",
        r"\b(?:derange\w*|ennuie\w*|embete\w*)\b[^.!?]{0,20}\b(?:souvenir|retenir|noter|memoriser|garder)\b|"
        r"\b(?:dans|en) (?:le|ton) (?:crane|tete)\b|\bpour (?:toutes )?(?:nos|tes|les) (?:prochaines|futures)\b|"
        r"\bprends-le en note\b|\bpour reference\b|\bne perds pas de vue\b",
        r"\bsouviens?[ -]?(?:toi|t'en|en)\b|\bsouvien[ -]toi|\bsouvenez[ -]vous|\bsouviens[ -]t'en",
        r"\brappelle[ -]?toi\b|\brappelez[ -]?vous\b|\brapelle[ -]toi|\bdis[ -]toi (?:bien )?que",
        r"\b(?:retiens|retenez|retien|memorise|memorisez)\b",
        rf"(?:{_ASK})\b[^.!?]{{0,60}}\b{_KEEP}\b(?! (?:une? (?:alarme|reveil)|le fichier|ce fichier))",
        r"\b(?:que|si) (?:tu|vous)\b[^.!?]{0,30}\b(?:retiennes|reteniez|souviennes|souveniez|rappelles|rappeliez|"
        r"notes|notiez|gardes|"
        r"gardiez|conserves|memorises|retenais|reteniez|souvenais|souveniez|notais|gardais|sache|saches|sachiez|"
        r"rappelais|memorisais)\b",
        r"\b(?:garde|gardez|garder|conserve|conservez|avoir|aie|ayez|gardes)\b(?:[ -]\w+){0,8}? (?:en tete|"
        r"a l'esprit|en memoire|"
        r"dans un coin|en note|quelque part|pour (?:plus tard|la suite|la prochaine|toi))\b",
        r"\b(?:en tete|a l'esprit|en memoire)[, ]+(?:que|:)|\ba (?:retenir|conserver|noter|garder|"
        r"memoriser)\b(?= ?(?:[:,]|$))",
        r"\bnote(?:z|r)?\b[ -]?(?:le|la|les|toi|ca|cela|ceci|ici|aussi|quelque part|dans|pour|s'il|stp|que (?:je|j'|"
        r"mon|ma|mes|"
        r"nous|notre|nos|on)|mon|ma|mes|bien que (?:je|j'|mon|ma|mes))(?= |$|[,:;!.'])",
        r"(?:^|[,;:] ?|et |stp |plait |aussi |merci |puis )note(?:z)?(?:[ :!,]+(?:je|j'|mon|ma|mes|que (?:je|j'|mon|"
        r"ma)|:)|:)",
        r"\bprend(?:s|re|ez)?[ -](?:en )?(?:bonne |bien )?note\b|\bprenez[ -](?:en )?(?:bonne )?note\b|"
        r"\bprends?(?:-\w+)? (?:ca|cela) en (?:note|compte)|"
        r"\b(?:tiens|tenez|tenir)(?:[ -]en)?(?: \w+)? compte\b|\bprends?[ -]le en compte|\ben tenir compte",
        r"\bsach(?:e|ez)\b(?:-le)?[ ,]*(?:que|pour|bien|et)|\bpour (?:info|memoire|information|ta gouverne)\b|"
        r"\bpour que tu (?:le )?saches\b|"
        r"\bmets?[ -](?:toi )?(?:\w+ ){0,3}?(?:dans|en) (?:la )?(?:tete|un coin)|\bmets[ -]toi (?:ca|bien|en tete)|"
        r"\bgrave[ -](?:toi|ca|cela|le|dans)\b",
        r"\b(?:range|inscris|classe|colle|ecris|fourre)\b[^.!?]{0,20}(?:dans un coin|quelque part|ta tete|"
        r"ta memoire)",
        r"\bfais[ -](?:en|t'en|toi)? ?une? (?:note|memo|pense-bete)|\bfais (?:une )?note\b",
    ),
    save=(
        r"\b(?:enregistre|enregistrez|sauvegarde|sauvegardez|conserve|conservez|stocke|stockez|consigne|note|notez|"
        r"garde|gardez|archive|noter|"
        r"enregistrer|sauvegarder|conserver|stocker)\b(?!s)(?! (?:le|la|les|un|une) (?!fait|chose|info))(?! (?:un|"
        r"une) )",
    ),
    store=(
        r"\b(?:enregistre|enregistrez|sauvegarde|sauvegardez|garde|gardez|conserve|conservez|stocke|stockez|ajoute|"
        r"ajoutez|inscris|"
        r"inscrivez|ecris|ecrivez|consigne|consignez|mets|mettez|archive|range|note|notez|classe|indique|indiquez|"
        r"rajoute|ajouter|"
        r"enregistrer|sauvegarder|conserver|stocker|inscrire|noter|garder)\b",
    ),
    forget=(
        r"(?<!n')(?<!n' )(?<!t')\boubli(?:e|ez)\b()(?! (?:pas|jamais))(?! (?:la|cette|ma) (?:derniere )?(?:question|"
        r"demande|idee))[- ]*"
        r"(?:s'il \w+ \w+ |stp |tout |donc |completement |vite )*(?:ce que|que|mon|ma|mes|l'|le|la|les|tout|cette|"
        r"moi|notre|nos|qui|ou|"
        r"comment|ton|celui|ca et|aussi)",
        rf"(?:{_ASK})\b[^.!?]{{0,40}}(?<!pas )(?<!pas l')(?<!jamais )\boublier\b|\bque (?:tu|vous) (?:l'|"
        rf"les )?oubli\w+\b",
        r"\b(?:arrete|arretez|cesse|cessez)\b[^.!?]{0,20}(?:de|d')[^.!?]{0,20}(?:retenir|souvenir|rappeler|garder|"
        r"noter|memoriser|"
        r"conserver|stocker)\b",
        r"\bne? ?(?:te |le |la |l'|les |t'en |vous )*(?:retiens|garde|conserve|souviens|note|retenez|gardez|"
        r"memorise|enregistre|stocke)\b"
        r"[^.!?]{0,20}\b(?:plus|pas|nulle part|jamais)\b",
        r"\b(?:plus besoin|pas besoin|inutile)\b[^.!?]{0,30}(?:retenir|souviennes|garder|noter|retiennes|gardes|"
        r"souvenir)",
        r"\bne veux (?:plus|pas) que (?:tu|vous)\b[^.!?]{0,50}\b(?:saches|sachiez|souviennes|gardes|retiennes|"
        r"souveniez|notes)\b|"
        r"\bdesapprends?\b",
    ),
    drop=(
        r"\b(?:supprime|supprimez|efface|effacez|retire|retirez|enleve|enlevez|elimine|eliminez|detruis|detruisez|"
        r"vire|raye|rayez|barre|"
        r"biffe|jette|jetez|vide|videz|nettoie|debarrasse|oter|ote|otez|supprimer|effacer|retirer|enlever|eliminer|"
        r"detruire|sors|sortez|"
        r"purge|abandonne|disparaiss\w*|disparaitre|efface-le|bazarde|gomme|rayer)\b",
    ),
    change=(
        r"\b(?:change|changez|modifie|modifiez|corrige|corrigez|mets[ -]\w*[ -]?a jour|mettez[ -]\w*[ -]?a jour|"
        r"mets|mettre a jour|actualise|"
        r"actualisez|rectifie|rectifiez|remplace|remplacez|met a jour|ajuste|ajustez|adapte|revise|revois|changer|"
        r"modifier|corriger|"
        r"rectifier|actualiser|remplacer|amende|edite|mise a jour|mettez|amender|adapter|transforme|passe|reprends|"
        r"maj|ecris plutot|"
        r"reecris)\b",
    ),
    memory=(
        r"memory\b",
        r"(?:ta|tes|ton|votre|vos|la|le|les|de|en|sa|cette|mon|une|l'|d')[ ]?(?:memoire\w*|notes?|souvenirs?|profil|"
        r"fiche|registres?|"
        r"dossier|donnees sur|entree|carnet|informations? sur|infos sur|base de donnees|fichier sur moi)\b",
        r"(?:tu|vous|t')(?: m'| l'| te| t'| en| y| les?)*[ ]?(?:as|avez|avais|aviez|a|ai)?(?: bien| mal|"
        r" deja)? ?(?:note\w*|garde\w*|enregistre\w*|retenu\w*|"
        r"conserve\w*|sauvegarde\w*|stocke\w*|sais|savez|connais|retiens|gardes|memorise\w*|inscrit\w*|souviens|"
        r"rappelles|consigne\w*)\b",
        r"(?:tu|vous) (?:as|avez)\b[^.!?]{0,40}\b(?:mauvaise?|faux|fausse|sur moi|de moi|pour moi|mal)\b",
        r"(?:je|j'|on) ?(?:t'|te |vous )(?:ai|avais|a|avait|ai bien)? ?(?:dit|dite?s?|donne\w*|raconte\w*|parle|"
        r"confie\w*|demande\w*|indique\w*|signale\w*)\b",
        r"(?:note|notes|noté|enregistre|memoire|fiche|entree)\b(?= (?:sur|concernant|que j'|a propos|qui))|"
        r"(?:enregistre|note|garde|memorise)\w*(?= (?:sur|a propos))",
    ),
    other=(
        r"fichiers?|documents?|paragraphes?|phrases?|code|scripts?|fonction|variable|e-?mails?|mail|ton\b(?= (?:de|"
        r"du|d'))|textes?|lettre|"
        r"images?|photos?|couleurs?|police|diapo\w*|tableau|colonne|ligne|navigateur|historique|cache|cookies|"
        r"appli\w*|pdf|dossiers? telech\w*|"
        r"ram|disque|reveil|alarme|minuteur|\w+\.(?:txt|md|py|js|docx?|csv|pdf)|titre|brouillon|poeme|histoire|"
        r"liste|courriel|compte|"
        r"calendrier|parametres|mot de passe",
    ),
    stale=(r"ne suis plus|n'est plus|n'ai plus|plus|maintenant|nouve\w*|change|demenage|faux|fausse|mauvais\w*|"
    r"errone\w*|desormais|a present|en fait|"
           r"incorrect\w*|mais|pas \w+ mais|s'ecrit|perime",),
    mine=(r"mon|ma|mes|je|j'\w*|moi|notre|nos|m'\w*",),
    this=(r"ca|cela|ceci|le|la|les|ce|cette info\w*|l'info\w*|cette donnee|l'|que (?:je|j'|mon|ma|mes)|en",),
    lasting=(
        r"desormais|dorenavant|a partir (?:de maintenant|d'aujourd'hui|de la|de ce jour)|a l'avenir|pour la suite|"
        r"pour l'avenir|"
        r"pour la prochaine fois|la prochaine fois|pour plus tard|des maintenant|pour les prochaines fois|"
        r"par la suite|dans le futur",
    ),
    asked=(
        r"(?:et |mais |ok |alors )?(?:que|qu'est-ce|quoi|quel\w*|pourquoi|comment|qui|ou|quand|combien|"
        r"est-ce (?!que (?:tu|vous) (?:peux|pourrais|pouvez|pourriez|veux)|possible)|as-tu|"
        r"avez-vous|lequel|"
        r"laquelle|c'est quoi|faut-il|dois-je|puis-je)\b",
    ),
    fillers=(
        "s'il te plaît plait vous merci de bien et aussi stp svp ça ca cela ceci le la les l' en tu toi dois "
        "devrais devrait peux "
        "pourrais pouvez pourriez que à a t' te d' ta tes ton votre vos mémoire memoire notes note tête tete esprit "
        "l'esprit pour suite "
        "prochaine fois plus tard compte important c'est est retiens garde souviens souvenir rappelle oublie pas "
        "n'oublie donc alors "
        "surtout coin dans un une quelque part long terme moi sur info conserver t'en ok oui voilà voila je j' me "
        "aimerais voudrais "
        "noter retenir garder ce serait bonne prends mets"
    ),
    ahead=(r"-?(?:toi|vous|le|la|les|en|t'en|moi)\b|que|qu'|de ce que|bien|ca|ceci|cela|pour (?:la suite|plus tard|"
    r"moi|la prochaine fois)|s'il (?:te|vous) plait|stp|"
           r"quelque part|aussi|sur moi",),
)  # fmt: skip
