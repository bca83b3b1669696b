"""Spanish."""

from gateway.agent.asking.words import Words

_ASK = (
    r"(?:puedes|podrias|puede|podria|podes|pueden|podrian|podeis|quieres|querrias|deberias|debes|debe|deberia|"
    r"tienes que|tenes que|tiene que|"
    r"hay que|importaria|importa|favor de|haz el favor de|hace falta|conviene|te pido|procura|trata de|no dejes de|"
    r"te agradeceria|"
    r"ayudame a|hazme el favor de|necesito que|quiero que|me gustaria que|quisiera que|agradeceria que|"
    r"estaria bien que|"
    r"seria (?:genial|bueno|ideal|util) (?:que|si)|ojala|prefiero que|pido que|para que|si (?:me )?)"
)
_KEEP = (
    r"(?:record(?:ar|aras|ases|aba|es|e|aras|ara)|acord(?:ar|aras)|acuerd(?:es|e)|memori(?:zar|ces|ce|zaras)|"
    r"anot(?:ar|es|e|aras)|"
    r"apunt(?:ar|es|e|aras)|guard(?:ar|es|e|aras)|registr(?:ar|es|e)|retener|retengas|sepas|sepa|tener|tengas|tenga|"
    r"tuvieras|grab(?:ar|es)|"
    r"recuerd(?:es|e))(?:te|lo|la|los|telo|tela|me|se|selo)?"
)

SPANISH = Words(
    no=(
        r"\b(?:que significa|como se dice|que quiere decir)\b[^.!?]*|\bnota (?:media|baja|alta|final)\b",
        r"\bcomo (?:puedo|podria|se|debo|hago|memorizar|guardar|borrar|cambiar|recordar)\b[^.!?]*",
        r"(?:te |se )?(?:recuerdas|acuerdas|acordas|recordas|recuerda usted|guardaste|anotaste|apuntaste|"
        r"sabes)\b(?=[^.!?]{0,60}\?)|te acuerdas|te acordas",
        r"(?:me|nos|se|le|les|ella|el|lo|la) (?:recuerda|recuerdan|recordo)\b|recuerda(?:me|nos|melo)|recordame|"
        r"recordarme|recuerdeme|"
        r"recordatorio\w*|avisame",
        r"(?:recuerda|recuerdas|recordas|te acuerdas) (?:cuando|aquella vez|aquel dia|la vez)|acuerdate de mi\b|"
        r"recuerda mi\b(?= ?$)",
        r"no (?:te )?olvid(?:es|e) (?:de )?(?:respirar|comprar|llamar|traer|tus|tu|llevar|cerrar|apagar|mi cara)|"
        r"no me olvides",
        r"olvida(?:lo|te|lo ya|melo)?(?= ?(?:$|[,;.!]|dejalo|ya esta))|olvid(?:a|e|ate de) (?:esa|esta|la|mi|"
        r"lo de la) (?:ultima )?(?:pregunta|idea|"
        r"peticion|consulta)|olvida (?:eso|esto)(?= ?(?:$|[,;.!]))|olvidalo ya|dejalo",
        r"(?:me|se|nos|le) (?:ha |he )?olvid(?:o|e|aba|ado|amos|a)\b|nunca (?:lo )?olvidare|"
        r"(?<!te )(?<!se )(?<!no )(?<!le )(?<!lo )(?:^|[^\w]|yo )olvide\b(?! (?:lo|que|todo))(?=[^.!?]{0,60}[,?])|"
        r"he olvidado|olvidamos|"
        r"nunca (?:se )?olvida|inolvidable|no (?:me )?acuerdo|no recuerdo",
        r"\bolvide mi (?:contrasena|clave|pin|cita)\b",
        r"(?:guardar|ahorrar) (?:dinero|silencio|cama)|guarda (?:silencio|la calma)|tomar notas|notese|"
        r"ten (?:cuidado|paciencia)|"
        r"toma nota de (?:las|los) diferencias",
    ),
    remind=(
        r"no (?:te |se |lo |me |os |le )*olvid(?:es|e|eis|en|are?s)\b|(?:que )?no (?:se )?(?:te|le|"
        r"os) (?:vaya a )?olvid(?:e|a|en|ar)\b|nunca (?:te )?olvides|"
        r"no (?:vayas a )?olvidar\b|sin olvidar|que no se (?:te|le) (?:pase|escape|vaya)",
    ),
    keep=(
        r"\b(?:posible|pedirte|pedirle)\b[^.!?]{0,40}\b(?:recuerdes|guardes|anotes|apuntes|recordar|guardar|anotar|"
        r"apuntar|recuerde|guarde|anote)\b|\b(?:me|te) (?:apuntas|guardas|anotas) (?:que|esto|eso|mi)\b|"
        r"\b(?:consciente|al tanto|al corriente) de que\b",
        r"\bnota que (?:soy|mi|me|tengo|no)\b|\btoma nota\b",
        r"\b(?:que (?:te |le )?quede|que se te quede|te quede) (?:grabado|claro|anotado|guardado|registrado)\b|"
        r"\bno (?:lo |la )?pierdas? de vista\b|\bpara futuras? (?:referencias?|ocasion\w*|respuestas|"
        r"conversaciones)\b",
        r"\bpara (?:que )?(?:no|no tener que|que no tenga que) (?:repetir|repita|decir|"
        r"volver)\w*\b[^.!?]{0,40}\b(?:guarda|apunta|anota|recuerda)\w*|\bmemorizate\w*|\bgrabatel[oa]\b|\btenme\b",
        r"\b(?:recuerda|recuerde|recorda|recordad|recuerden|rekuerda)(?:lo|la|los|las|melo|d)?\b(?! (?:a|al) )",
        r"\b(?:acuerdate|acordate|acuerdese|acordaos|acuerdense)\b",
        r"\b(?:memoriza|memorice|memorizad|memorizate|memoricen|aprendete|retén|reten|retenga|grabate|grabatelo|"
        r"grabese|grabaos)(?:lo|la|telo)?\b",
        r"(?:^|[^\w\s] ?|\b(?:y|e|tambien|por favor|porfa|luego|pues|ademas|paso|ya|oye|asi que|entonces|mejor|"
        r"de paso|solo) )(?:apunta|apunte|apuntad|anota|anote|anotad)"
        r"(?:te|lo|la|telo|tela|me|selo|los|se)?\b(?! (?:las|los|todas las|la) (?:diferencias|ideas principales|"
        r"puntos))",
        r"\b(?:anota|apunta|apunte|anote|guarda|guarde|graba|registra)(?:tel[oa]|sel[oa]|te)\b",
        r"\btom(?:a|e|ad|es|ar)(?:lo|te)? (?:buena |debida )?nota\b(?! de las diferencias)|\bhaz(?:te)? una nota\b|"
        r"\bhacete una nota|\bpon(?:te)? una nota",
        r"\b(?:ten|tene|tenga|tener|tengas|tened|tengan)(?:lo|la|los|me|melo)?\b(?: \w+){0,6}? (?:en cuenta|"
        r"presente|en mente|en la cabeza|a mano)\b",
        r"\b(?:mantén|manten|guarda|guardate|conserva)(?:lo|la)?\b(?: \w+){0,6}? (?:en mente|presente|en la memoria|"
        r"en la cabeza|para (?:despues|la proxima|mas adelante|siempre))\b",
        rf"{_ASK}[^.!?]{{0,60}}\b{_KEEP}\b(?! (?:dinero|este archivo|el archivo|el documento))",
        r"\b(?:deja|deje|dejá|dejar|queda|quede) (?:constancia|anotado|registrado|apuntado|escrito|guardado|"
        r"dicho)\b|\bquedate con\b|\bque conste\b",
        r"\b(?:que sepas|para que (?:lo )?sepas|para que (?:lo )?tengas|has de saber|sabe que|debes saber|"
        r"deberias saber|a titulo informativo)\b",
        r"\bmet(?:e|ete|elo|etelo|ete esto)\b[^.!?]{0,20}(?:cabeza|memoria|mollera)|\bpara (?:tu|su) (?:informacion|"
        r"conocimiento|memoria)\b",
        r"\b(?:registra|registre|consigna|archiva)\b(?: \w+){0,3}? (?:sobre mi|de mi|que (?:soy|me|mi|tengo|vivo))\b",
    ),
    save=(
        r"\b(?:guarda|guarde|guardá|graba|grabe|registra|registre|archiva|archive|almacena|almacene|salva|conserva|"
        r"guardar|almacenar|registrar|"
        r"grabar|archivar)(?:lo|la|los|las|telo|tela|me|te|melo)?\b",
    ),
    store=(
        r"\b(?:guarda|guarde|guardá|guardad|graba|grabe|registra|registre|mete|meta|añade|anade|anada|agrega|"
        r"agregue|pon|ponga|poné|incluye|"
        r"almacena|almacene|archiva|archive|salva|escribe|escriba|conserva|conserve|suma|sume|apunta|anota|inscribe|"
        r"fija|incorpora|deja)"
        r"(?:lo|la|los|las|telo|me|te|melo)?\b",
        r"\b(?:guardar|almacenar|registrar|añadir|anadir|agregar|incluir|archivar|conservar|meter|poner)(?:lo|la|"
        r"los|me|telo|melo)?\b",
    ),
    forget=(
        r"(?<!no )(?<!no te )(?<!no se )(?<!no lo )\bolvid(?:a|e|ate|ese|ad|alo|ar)\b()(?: por favor| ya| todo|"
        r" tambien| completamente|,)* ?(?:lo que|lo de|que|mi|mis|"
        r"todo|de (?:mi|lo|que|todo|nuestr\w*|la|el)|nuestr\w*|la (?!pregunta)|el|donde|quien|cuando|y (?:borra|"
        r"elimina)|cualquier\w*|aquello|a mi|como)\b",
        rf"{_ASK}[^.!?]{{0,40}}(?<!no )\bolvid(?:ar|es|e|aras|arte)(?:lo|te|se|la)?\b(?! (?:nunca|jamas))",
        r"\b(?:deja|deje|deja ya|dejá|para|pará) de (?:record\w*|guard\w*|almacen\w*|tener|acord\w*|memoriz\w*|"
        r"anot\w*|mencion\w*)\b",
        r"\bno (?:lo |la |los |me |te |se )*(?:recuerdes|guardes|recuerde|guarde|memorices|almacenes|anotes|apuntes|"
        r"retengas|conserves|acuerdes)(?:lo)?\b"
        r"(?:[^.!?]{0,30}\b(?:mas|nunca|en ningun|ya)\b| mi| mis| que| lo| nada| esto| eso)?",
        r"\bno (?:quiero|necesito|hace falta|necesitas|tienes que|deseo)\b[^.!?]{0,20}\b(?:sigas|que (?:sepas|"
        r"recuerdes|guardes|tengas|sigas)|recordar|guardar|"
        r"saber|recuerdes)\b[^.!?]{0,60}",
        r"\bdesaprende\b|\bya no (?:recuerdes|guardes|hace falta que (?:recuerdes|guardes))\b",
    ),
    drop=(
        r"\b(?:borra|borre|borrá|borrad|elimina|elimine|eliminá|quita|quite|quitá|suprime|suprima|saca|saque|sacá|"
        r"tacha|tache|retira|retire|"
        r"limpia|limpie|descarta|deshazte|desecha|tira|destruye|vacia|bota|remueve|remueva|borrar|eliminar|quitar|"
        r"suprimir|sacar|retirar|"
        r"desaparezca|desaparecer|borres|elimines|quites|borrarias|purga|fuera)(?:lo|la|los|las|me|melo|melos)?\b",
    ),
    change=(
        r"\b(?:cambia|cambie|cambiá|actualiza|actualice|actualizá|corrige|corrija|corregi|corregí|modifica|"
        r"modifique|rectifica|rectifique|"
        r"ajusta|ajuste|edita|edite|sustituye|sustituya|reemplaza|reemplace|pon|poné|ponga|arregla|arregle|enmienda|"
        r"enmiende|revisa|altera|"
        r"cambiar|actualizar|corregir|modificar|rectificar|ajustar|editar|sustituir|reemplazar|cambies|actualices|"
        r"corrijas|modifiques|"
        r"renueva|adapta|reescribe|sobrescribe|subsana|enmendar|pasa|pasalo|haz que (?:diga|ponga))(?:lo|la|los|las|"
        r"me|melo|melos)?\b",
    ),
    memory=(
        r"memory\b",
        r"(?:tu|tus|su|sus|la|las|el|los|de|en|esa|ese|mi|una)(?: propia)? ?(?:memoria|notas?|apuntes?|"
        r"recuerdos? (?:sobre|de mi)|perfil|ficha|registros?|"
        r"datos? (?:que|guardad\w*|sobre|de mi)|entrada|anotacion\w*|base de datos|informacion (?:que|sobre|"
        r"guardada)|expediente|archivos? sobre mi)\b",
        r"(?:guardaste|anotaste|apuntaste|registraste|recordaste|tienes (?:guardad\w*|anotad\w*|apuntad\w*|mal|"
        r"registrad\w*|sobre|como|puesto|mi|que)|tenes (?:guardad\w*|anotad\w*|mal|mi|apuntad\w*|sobre)|"
        r"tiene (?:guardad\w*|anotad\w*|sobre|mal|mi|registrad\w*)|sabes|sabe(?:s)? de mi|recuerdas|has (?:guardado|"
        r"anotado|apuntado|registrado|memorizado)|"
        r"guardas|conservas|memorizaste|ha guardado|recordas|conoces|tenias?|guardó|grabaste)\b",
        r"(?:te|le|os) (?:dije|conte|di|he dicho|he contado|pedi|habia dicho|comente|mencione|habia contado|he dado|"
        r"deje|habia pedido|pase|facilite)\b",
        r"(?:guardad|anotad|apuntad|registrad|memorizad|almacenad)[oa]s?\b|lo que (?:tienes|sabes|tenes|recuerdas|"
        r"hay) |sobre mi\b",
    ),
    other=(
        r"archivos?|documentos?|parrafos?|frases?|codigo (?:html|css)|este codigo|script|funcion|variable|correo|"
        r"e-?mail|mail|tono|texto|ensayo|carta|"
        r"imagen|imagenes|fotos?|color\w*|fuente|diapositiv\w*|tabla|columna|fila|navegador|historial|cache|cookies|"
        r"app|aplicacion|pdf|"
        r"carpeta|ram|disco|alarma|despertador|temporizador|\w+\.(?:txt|md|py|js|docx?|csv|pdf)|titulo|borrador|"
        r"poema|cuento|historia|lista|dinero|"
        r"cuenta|calendario|ajustes|contrasena",
    ),
    stale=(r"ya no|ahora|nuev\w*|cambio|cambiado|me mude|mal|falso|incorrect\w*|equivocad\w*|sino|en realidad|"
    r"no es correcto|se escribe|antes|erroneo|"
           r"desactualizad\w*|me case",),
    mine=(r"mi|mis|\w+me\b|me\b|soy|yo|estoy|me|nuestr\w*|tengo|vivo|mio|mia",),
    this=(r"esto|eso|este dato|ese dato|lo|\w+(?:lo|telo|tela)|que (?:soy|me|mi|mis|tengo|vivo|no|nuestr\w*)|mi|"
    r"aquello",),
    lasting=(
        r"a partir de (?:ahora|hoy|ya|este momento)|de ahora en (?:adelante|mas)|desde (?:ahora|hoy|ya)|en adelante|"
        r"de aqui en adelante|"
        r"para (?:la )?proxima(?: vez)?|la proxima vez|para el futuro|en el futuro|para futur\w+|en lo sucesivo|"
        r"de hoy en adelante|para despues|"
        r"para mas adelante",
    ),
    asked=(
        r"[¿ ]*(?:y |pero |ok |entonces )?(?:que|cual\w*|como|por que|porque|quien\w*|cuando|cuanto\w*|donde|"
        r"recuerdas|te acuerdas|guardaste|"
        r"sabes|debo|deberia yo|vale la pena|hay)\b",
    ),
    fillers=(
        "por favor porfa y e también tambien que lo la los eso esto de paso a en tu tus su memoria notas apuntes "
        "cuenta presente mente "
        "debes deberías deberias debería puedes podrías podrias te le se me mi para próxima proxima vez futuro "
        "siempre es importante "
        "gracias ok oye bueno así asi no tengas tenga ten tenlo anota apunta guarda recuerda olvides olvide olvida "
        "recuérdalo "
        "apúntalo apúntatelo anótalo guárdalo largo plazo ya solo un una dato sea el con esto más mas adelante "
        "después despues sobre mí "
        "registra deja constancia importaría importaria recordar anotar guardar toma nota mételo ahora"
    ),
    ahead=(r"que|de que|esto|eso|lo siguiente|en (?:tu|tus|su|sus|la) (?:memoria|notas|apuntes)|sobre mi|"
    r"para (?:la proxima(?: vez)?|el futuro|mas adelante)|por favor|"
           r"porfa|en cuenta|presente|bien|siempre|de",),
)  # fmt: skip
