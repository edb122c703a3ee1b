/** Markdown of strangers: what becomes HTML, what does not, and how long the worst of it takes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { ABOUT_LIMIT_BYTES } from "../../../../hub/catalog/app-pages.js";
import { renderMarkdown } from "../../../../hub/store/markdown.js";

const html = (text: string) => renderMarkdown(text, 2).text;

const RENDERED: readonly (readonly [markdown: string, html: string])[] = [
  ["a *b* **c** `d`", "<p>a <em>b</em> <strong>c</strong> <code>d</code></p>\n"],
  ["# a\n\n##### b", "<h3>a</h3>\n<h6>b</h6>\n"],
  ["- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"],
  [
    "[a](https://x.example/?b=1&c=2)",
    '<p><a href="https://x.example/?b=1&amp;c=2" rel="nofollow noopener ugc">a</a></p>\n',
  ],
  [
    "<http://x.example>",
    '<p><a href="http://x.example" rel="nofollow noopener ugc">http://x.example</a></p>\n',
  ],
  ["[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>\n"],
  ["[a](JaVaScRiPt&colon;alert(1))", "<p>[a](JaVaScRiPt:alert(1))</p>\n"],
  ["[a](data:text/html,x)", "<p>[a](data:text/html,x)</p>\n"],
  ["[a](/catalog)", "<p>[a](/catalog)</p>\n"],
  ["[a](//x.example)", "<p>[a](//x.example)</p>\n"],
  ["![a <b>](https://x.example/b.png)", "<p>a &lt;b&gt;</p>\n"],
  ["<b onclick=x>a</b>", "<p>&lt;b onclick=x&gt;a&lt;/b&gt;</p>\n"],
  ["<script>\na\n</script>", "<p>&lt;script&gt;\na\n&lt;/script&gt;</p>\n"],
  ["a <!-- b -->", "<p>a &lt;!-- b --&gt;</p>\n"],
  ['```"><script>\na\n```', '<pre><code class="language-&quot;&gt;&lt;script&gt;">a\n</code></pre>\n'],
];
for (const [markdown, rendered] of RENDERED)
  test(`Markdown ${JSON.stringify(markdown)} becomes HTML`, () => assert.equal(html(markdown), rendered));

const filled = (piece: string) =>
  piece.repeat(ABOUT_LIMIT_BYTES / piece.length + 1).slice(0, ABOUT_LIMIT_BYTES);

const HOSTILE = {
  brackets: filled("["),
  pairs: filled("[]"),
  links: filled("[a]("),
  pictures: filled("![["),
  stars: filled("*"),
  starred: filled("*a "),
  mixed: filled("*a_ "),
  lines: filled("_"),
  strong: filled("a**b"),
  backticks: filled("`a``b"),
  quotes: filled(">"),
  quoted: filled("> > > >\n"),
  lists: filled("- "),
  numbers: filled("1. "),
  tags: filled("<a "),
  comments: filled("<!--"),
  autolinks: filled("<http:"),
  entities: filled("&#x41;"),
  ampersands: filled("&"),
  headings: filled("a\n="),
  fences: filled("```\n"),
  targets: filled('[a](b "'),
  angles: filled("[a](<"),
  openings: filled("[a\n"),
  breaks: filled("\n"),
  all: filled("[*_`~<&!"),
  references: `[a]: https://x.example\n${filled("[a]").slice(30)}`,
  definitions: Array.from({ length: 900 }, (_, index) => `[${index}]: /u\n`).join(""),
  indented: Array.from({ length: 170 }, (_, index) => `${" ".repeat(index)}- a\n`).join(""),
  runs: Array.from({ length: 170 }, (_, index) => "`".repeat(index + 1)).join(" "),
} as const;

/** Far more processor time than any of them takes: ten times as much is what work that grows with the square would take. */
const LIMIT_MS = 1500;
const processorMs = () => process.cpuUsage().user / 1000;
/** Bytes of HTML for a byte of Markdown. */
const GROWTH_LIMIT = 40;

describe("Hostile Markdown is rendered in a bounded time, to a bounded length", () => {
  for (const [name, markdown] of Object.entries(HOSTILE))
    test(name, () => {
      const began = processorMs();
      const rendered = html(markdown);
      assert.ok(processorMs() - began < LIMIT_MS);
      assert.ok(rendered.length < GROWTH_LIMIT * ABOUT_LIMIT_BYTES);
    });

  test("any sequence of its characters, without elements that act", () => {
    const piece = fc.constantFrom(
      ..."[]()*_`~<>&!#-+.1 \n\t\\\"':/a=|{}",
      "<script",
      "javascript:",
      "https://",
      "](",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
        const rendered = html(pieces.join(""));
        const tags = rendered.match(/<[^>]*>?/g) ?? [];
        for (const tag of tags)
          assert.match(
            tag,
            /^<\/?(p|em|strong|code|pre|h[3-6]|ul|ol|li|blockquote|hr|br|a)( (start|class|href|title|rel)="[^"<>]*")*>$/,
          );
        for (const [, address] of rendered.matchAll(/href="([^"]*)"/g))
          assert.match(`${address}`, /^(https?:\/\/|$)/i); // "[]()" leads nowhere
      }),
      { numRuns: 3000 },
    );
  });
});
