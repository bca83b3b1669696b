"""Rules for what machines read: commands, paths, tags of chat templates, markup that hides words."""

from __future__ import annotations

from memory.scan import reasons
from memory.scan.rule import Rule

CODE_FAMILIES = {
    "URL": r"https?://|ftp://|\bwss?://|\bhxxps?://|\bwebhook|\bpastebin|\b[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]|\b\d{1,3}(?:\.\d{1,3}){3}\b|"
    r"\b[\w-]{1,64}\.(?:example|com|net|org|io|dev|ru|cn|xyz|info|onion|site|co|app)\b(?!/?[-\w]*\.(?:md|py))",
    "SECRET_FILE": r"\.ssh/(?!config\b|known_hosts|\w+\.pub)(?:id_\w+(?!\w*\.pub)|\*|identity|$|\s)|\.ssh(?=[\s'\")]|$)|id_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\.env\b|"
    r"\.aws(?:/credentials|\b)|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.docker/config|\.kube/config|\.gnupg|\.password-store|"
    r"/etc/shadow|/etc/sudoers|gh/hosts\.yml|\bauth\.json|\bcredentials?\.(?:json|ya?ml|ini|txt|csv)|\bsecrets?\.(?:json|ya?ml|toml|env|txt)|"
    r"\.bash_history|\.zsh_history|\bcookies\.sqlite|login data\b|\bkeychain|\bwallet\.dat|\btoken\.(?:json|txt)|\.p12\b|\.pem\b|"
    r"\bstate\.db\b|/proc/\w+/environ",
    "START_FILE": r"\.?(?:bashrc|bash_profile|bash_login|bash_logout|zshrc|zprofile|zshenv|zlogin|profile)\b|config\.fish|/etc/profile|"
    r"/etc/rc\.local|rc\.local|/etc/crontab|/etc/cron|crontab|/etc/ld\.so\.preload|/etc/hosts\b|/etc/sudoers|sudoers|sshd_config|"
    r"authorized_?keys2?|launchagents?|launchdaemons?|systemd|\.service\b|\.config/autostart|autostart|startup folder|"
    r"\.git/hooks|git hooks?|hooks?path|post-commit|post-checkout|pre-push|pre-commit hook|\.gitconfig|\.vimrc|\.tmux\.conf|"
    r"\.xinitrc|\.xprofile|powershell profile|\$profile|registry run|currentversion\\run|sitecustomize|\.pth\b|\.envrc|package\.json|"
    r"postinstall|\.inputrc",
    "PROMPT_FILE": r"\b(?:claude|agents?|soul|heartbeat|memory|user|gemini|copilot-instructions|persona|identity|tools|bootstrap|skill|conventions)\.md\b|"
    r"\.(?:cursor|windsurf|cline|roo)rules\b|\.mdc\b|\bpersona file|\bsystem prompt file|\binstructions? file|\bagent(?:'s)? (?:file|instructions|config\w*)|"
    r"\.claude/|\.cursor/|copilot instructions",
    "FETCH": r"\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|invoke-expression|aria2c|fetch|lwp-download|httpie|http)\b",
    "SHELL": r"(?:sudo\s+(?:-\w+\s+){0,3})?(?:/(?:usr/)?bin/(?:env\s+)?)?(?:(?:ba|z|da|k|fi)?sh|python\d?|perl|ruby|node|php|iex|osascript|source|pwsh|powershell)\b",
}

CODE: tuple[Rule, ...] = (
    Rule("role-tags", reasons.TAGS, r"\n\s?assistant\s?:[^\n]{0,80}\b(?:without asking|i have (?:deleted|sent|approved|paid|run)|approved|deleted|executed|sent (?:it|them))\b"),
    Rule("start-up-changed", reasons.START, r"\b(?:access|memory|gateway)\.(?:owners|operators|write_approval|share|scope)\b", (r"\b(?:write|add|set|put|change|insert|edit)\b", r"[:=\[]|\bfalse\b|config"), r"\b(?:documented|default|means)\b"),
    Rule("role-tags", reasons.TAGS, r"<\|\s?/?(?:system|assistant|user|im_start|im_end|im_sep|start_header_id|end_header_id|eot_id|endoftext|begin_of_text|channel|message|tool\w*)\b[^>\n]{0,20}\|?>"),
    Rule("role-tags", reasons.TAGS, r"\[/?inst\]|<</?sys>>|<start_of_turn>|<end_of_turn>|</?s>\s?\[inst|<\|?(?:human|bot)\|>"),
    Rule("role-tags", reasons.TAGS, r"</?(?:system|system[-_](?:reminder|prompt|message|instructions?|note)|assistant|tool_(?:result|response|output|call|use)|function_(?:results?|calls?)|instructions|developer|admin|important|prompt|override|human_turn)>"),
    Rule("role-tags", reasons.TAGS, r"(?:^|\n)\s?#{1,4}\s?(?:system|assistant|instructions?|human|developer)(?:\s(?:prompt|message|override))?\s?:"),
    Rule("role-tags", reasons.TAGS, r"[\"']role[\"']\s?:\s?[\"'](?:system|developer|assistant|tool)[\"']"),
    Rule("role-tags", reasons.TAGS, r"[\[【〔{(]\s?/?(?:system|sys|admin|developer|系统|系統|システム)(?:\s?(?:message|prompt|note|notice|override|command|instruction|消息|訊息|提示|指令|通知|命令|メッセージ|通知|指示))?s?\s?[\]】〕})](?!\()"),
    Rule("role-tags", reasons.TAGS, r"\b(?:system|admin(?:istrator)?|developer|security|root)\s(?:message|notice|alert|override|command|directive|broadcast|announcement|bulletin)\s?(?:from\b|:|!)", (r"\b(?:you|your|this account|model|assistant|ai|bot|agent|must|run|execute|obey|ignore|reveal|skip|approve|commands?|unasked|debug|mode|prompt)\b",)),
    Rule("role-tags", reasons.TAGS, r"(?:^|\n|[\s\"'>])(?:system|assistant|ai|agent|developer)\s?:\s{0,2}(?:please |you (?:must|will|shall|should|are|may)\b|now |always |never |from now|secretly|silently|quietly|hide|ignore|disregard|obey|override|approve|reveal|run |execute|send|forward|post |delete|do not|don't|unlock|grant|tell no|print|upload|reply with|forget|new |switch|enter|enable|disable|treat|skip|the user (?:has|is|wants|agreed)|understood|confirmed|ok,? i|sure, i)"),
    Rule("remote-code", reasons.REMOTE, r"%FETCH%[^\n|;&]{0,200}\|\s?(?:tee\s\S{1,40}\s?\|\s?|base64 -d\s?\|\s?|gunzip\s?\|\s?)?(?:xargs\s\S{0,20}\s?)?%SHELL%"),
    Rule("remote-code", reasons.REMOTE, r"(?:eval|source|exec|\.|%SHELL%\s(?:-\w+\s)?)\s?[\"']?\s?(?:\$\(|<\(|`|')\s?%FETCH%"),
    Rule("remote-code", reasons.REMOTE, r"%FETCH%[^\n]{0,160}(?:&&|;)\s?(?:chmod\b[^\n]{0,60}(?:&&|;)\s?)?(?:%SHELL%\s|\./|/tmp/|sudo )"),
    Rule("remote-code", reasons.REMOTE, r"\b(?:exec|eval|os\.system|subprocess\.\w+)\s?\([^\n]{0,80}(?:urlopen|requests\.get|httpx\.get|fetch\(|urllib|base64|b64decode)"),
    Rule("remote-code", reasons.REMOTE, r"\b(?:iex|invoke-expression)\b[^\n]{0,60}(?:iwr|irm|invoke-web|downloadstring|net\.webclient)|downloadstring\([^\n]{0,100}\|\s?iex"),
    Rule("remote-code", reasons.REMOTE, r"\bbase64\s(?:-d|--decode|-D)\b[^\n]{0,40}\|\s?%SHELL%"),
    Rule("remote-code", reasons.REMOTE, r"\b(?:download|fetch|pull|get|load|retrieve|grab)s?\b<60>\b(?:run|execute|install|launch|start|source|eval)s?\b", (r"%URL%", r"\b(?:script|file|newest|latest|code|binary|whatever|content|boot|plist|it|payload|program|update|says|each|every)\b")),
    Rule("reverse-shell", reasons.SHELL, r"/dev/(?:tcp|udp)/|\b(?:nc|ncat|netcat)\s(?:-\w+\s){0,3}-?\w*e\s?/?\S{0,10}(?:sh|cmd)|\bsocat\b[^\n]{0,80}exec|\bmkfifo\b[^\n]{0,100}\bnc\b|\bbash\s-i\b"),
    Rule("reverse-shell", reasons.SHELL, r"\bssh\s(?:-\w+\s){0,3}-(?:\w*R)\s?\d+|\bngrok\s(?:tcp|http)|\bxmrig|\bcryptominer|\breverse shell"),
    Rule("secret-file-sent", reasons.LEAK, r"%SECRET_FILE%", (r"\b(?:curl|wget|nc|ncat|netcat|scp|rsync|sftp|ftp|gist|rclone|xxd|nslookup|telnet|socat|sendmail|mutt|urlopen|requests\.\w+|transfer\.sh|httpie|aws s3)\b|\bfetch\(|\.dns\.|https?://",), r"\bssh-copy-id\b"),
    Rule("secret-file-sent", reasons.LEAK, r"(?:process\.env|os\.environ|\$env:|\bprintenv\b|\benv\s?\||\bset\s?\||/proc/self/environ|\bgetenv\b|\$\{?[a-z_]*(?:token|secret|api_?key|password|passwd|credential)s?\b)", (r"\b(?:curl|wget|nc|netcat|fetch|urlopen|urllib|requests\.\w+|axios|http\.\w+|xmlhttprequest|sendbeacon|dns|nslookup|dig)\b|[?&]\w{1,10}=\s?[\"'$+{]|\bpost(?:s|ed)?\b",), r"authorization:\s?(?:bearer|token|basic)|-h [\"']?(?:authorization|x-api-key)"),
    Rule("secret-file-sent", reasons.LEAK, r"\b(?:curl|wget)\b[^\n]{0,120}(?:--data(?:-\w+)?|-d|--post-file|--upload-file|-t|-f|--form)[\s=]?[\"']?(?:\w+=)?@?[^\n]{0,40}%SECRET_FILE%|\b(?:curl|wget)\b[^\n]{0,120}\$\([^\n)]{0,80}(?:/etc/|~/\.|\$home|env\b|token|history)"),
    Rule("start-up-changed", reasons.START, r">>?\s?[\"']?(?:~|\$home|\$\{home\}|/root|/home/\w+|/etc|[a-z]:)?[\w./\\-]{0,60}?%START_FILE%"),
    Rule("start-up-changed", reasons.START, r"\b(?:tee|sed\s-i\S{0,8}|cp|mv|install|ln\s-s\S{0,3}|echo|cat|printf)\b[^\n]{0,160}?(?:authorized_?keys|sshd_config|sudoers|ld\.so\.preload|/etc/cron|/etc/passwd|\.bashrc|\.zshrc|\.profile|\.bash_profile|/etc/hosts)\b", (r"\becho\b|\btee\b|\bsed\s-i|\bprintf\b|>|\bcp\b|\bmv\b|\bln\b",), r"\b(?:sort|grep|less|wc)\b"),
    Rule("start-up-changed", reasons.START, r"nopasswd:\s?all|permitrootlogin\s(?:yes|without)|ld_preload=|chmod\s(?:u\+s|[24]?[0-7]?777\s/|4755)|\buseradd\b[^\n]{0,80}(?:-o|-u 0|sudo|wheel)|core\.hookspath|/dev/shm/\.|/tmp/\.\w|setenforce 0|--privileged[^\n]{0,200}(?:host|/root)"),
    Rule("start-up-changed", reasons.START, r"\b(?:pip|npm|yarn|uv|cargo|gem)\b[^\n]{0,60}\b(?:index-url|registry|trusted-host|extra-index-url)\b[\s=]{1,3}[\"']?https?://", (r"\b(?:trust|always|all later|keep|every|global|without|never)\b",)),
    Rule("start-up-changed", reasons.START, r"(?:(?:[*@]/?\d{0,2}\s){3,5}\S?\s?|@reboot\s|@hourly\s|@daily\s)[^\n]{0,90}?(?:%FETCH%|\bnc\b|/dev/tcp)[^\n]{0,160}?(?:\|\s?%SHELL%|-d\s?@|%SECRET_FILE%|-o\s?/tmp)"),
    Rule("remote-code", reasons.REMOTE, r"\bpowershell(?:\.exe)?\s[^\n]{0,40}-e(?:nc|ncodedcommand)?\s[a-z0-9+/=]{8}"),
    Rule("start-up-changed", reasons.START, r"\b(?:cp|mv|install|tee|ln)\b[^\n]{0,100}/(?:systemd|launch(?:agents|daemons)|init\.d|cron\.\w+|autostart)\b[^\n]{0,100}(?:/tmp|evil|&&|enable|load)|\bsystemctl\s(?:--user\s)?enable\b[^\n]{0,40}(?:/tmp|/dev/shm)"),
    Rule("start-up-changed", reasons.START, r"\b(?:pip|npm|yarn|uv|gem)3?\s(?:config\s)?set\s[^\n]{0,30}(?:registry|index-url)[\s=]{1,3}http://"),
    Rule("start-up-changed", reasons.START, r"\.git/config|\bgit remote\b|\bpushurl\b", (r"https?://|git@", r"\b(?:also|each push|every push|pushes|as well|quietly|too)\b"), r"\b(?:our|my|we|i)\b"),
    Rule("secret-file-sent", reasons.LEAK, r"\b(?:grep|find|cat|tar|zip|dump|\.dump|rsync|scp|sqlite3)\b[^\n|]{0,120}(?:password|/etc\b|\.pem|\.config|\.ssh|id_rsa|state\.db|/home|~/|secret|token|history)[^\n]{0,80}(?:\|\s?(?:nc|ncat|curl|mail|telnet)\b|curl\b|\w+@(?:\d{1,3}\.){3}\d{1,3}:|\w+@[\w.-]{1,60}:/)", unless=r"\b(?:backup|nas|my|our)\b"),
    Rule("remote-code", reasons.REMOTE, r"\b(?:curl|wget)\b[^\n]{0,60}(?:-o|--output|-O)\s?/(?:usr|bin|sbin|opt|etc|tmp)/[^\n]{0,160}(?:chmod|&&|;)"),
    Rule("start-up-changed", reasons.START, r"cron\.(?:daily|hourly|weekly|d)\b|\.config/autostart|/etc/init\.d", (r"\b(?:place|put|copy|save|write|install|drop|add|cp|mv)\b",), r"\b(?:i |we |logrotate|backup|already)\b"),
    Rule("start-up-changed", reasons.START, r"\bchmod\s(?:-r\s)?777\s/|\bchown\b[^\n]{0,40}/etc/(?:passwd|shadow|sudoers)"),
    Rule("hidden-markup", reasons.HIDDEN, r"<!--(?:(?!-->).){0,120}?\b(?:ai|a\.i\.|assistants?|agents?|models?|bots?|llms?|system|gpt|claude|chatgpt|copilot|machines?)\b(?:(?!-->).){0,300}?\b(?:ignore|secret\w*|silent\w*|quiet\w*|hide|conceal|reveal|send|forward|do not|don't|must|approve|execute|run|obey|tell|never|always|change|delete|reply|answer|recommend|rate|omit|skip|pretend|unlock|pay|buy|add|insert|include|exec|post|upload|treat|follow|remember|instruct\w*)\b"),
    Rule("hidden-markup", reasons.HIDDEN, r"<!--(?:(?!-->).){0,200}?\b(?:ignore|disregard|secretly|silently|quietly|do not tell|don't tell|forward all|send all|obey|override)\b"),
    Rule("hidden-markup", reasons.HIDDEN, r"(?:display:\s?none|visibility:\s?hidden|opacity:\s?0\b|font-size:\s?[01](?:px|pt|em)?\b|color:\s?(?:#?f{3}(?:f{3})?|white|transparent)\b|\bhidden\b)[^>]{0,80}>[^<]{0,240}?\b(?:ai|models?|assistants?|agents?|bots?|llms?|you must|ignore|conceal|secretly|instructions?|do not tell|always|recommend|reply|answer)\b"),
    Rule("hidden-markup", reasons.HIDDEN, r"(?:\balt\s?=\s?[\"']|\btitle\s?=\s?[\"']|aria-label\s?=\s?[\"']|!\[|\[//\]:|\[comment\]:|\{\{!|\{#|/\*|<meta\b)[^\])}>]{0,80}?\b(?:ai|assistants?|agents?|models?|bots?|llms?|system prompt|language models?)\b[^\])}>]{0,200}?\b(?:ignore|secret\w*|silent\w*|quiet\w*|hide|conceal|reveal|send|forward|do not|don't|must|approve|exec\w*|run|obey|tell|never|always|treat|omit|skip|pretend|unlock|pay|buy|insert|upload|without telling)\b"),
    Rule("data-in-address", reasons.ADDRESS, r"!\[[^\]]{0,80}\]\(\s?https?://[^)\s]{1,120}[?&/=](?:[\w%.-]{0,40}=)?(?:\{|\$|\[|<|%7b|data|secret|token|summary|chat|conversation|history|\.\.\.)"),
    Rule("encoded-order", reasons.ENCODED, r"\b(?:decode|decrypt|unpack|base64|rot13|hex|reverse|unscramble|decipher)\b<60>\b(?:follow|obey|execute|run|carry out|act on|comply|do what|do as|perform)\b", (r"\b(?:it|result|text|instructions?|this|message|output|string|says|command)\b",)),
)
