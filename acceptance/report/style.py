"""How the page looks: on a light screen, on a dark one, on paper."""

STYLE = """
:root {
  color-scheme: light dark;
  --page: #fff; --ink: #1d2430; --soft: #5c6675; --line: #dfe3e8; --quiet: #f5f6f8;
  --passed: #1a7f4b; --failed: #c02b2b; --not-offered: #6b7280; --not-run: #a15c07;
  --failed-ground: #fdf1f0; --accent: #2a5db0;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #14181e; --ink: #e3e7ec; --soft: #98a2b0; --line: #2c333d; --quiet: #1b2028;
    --passed: #58c48c; --failed: #f08080; --not-offered: #9aa3af; --not-run: #e0a458;
    --failed-ground: #2b1b1e; --accent: #8ab4f8;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 68rem; padding: 3rem 2rem 4rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .25rem; font-weight: 650; }
h2 { font-size: 1.15rem; margin: 3rem 0 .75rem; font-weight: 650; }
h3 { font-size: 1.05rem; margin: 0; font-weight: 600; }
p { margin: .25rem 0; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
code, .mono { font-family: var(--mono); font-size: .86em; }
.soft { color: var(--soft); }
.overline { color: var(--soft); font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; }
.verdict { font-size: 1.35rem; font-weight: 650; margin: 1.5rem 0 .5rem; }
.passed { color: var(--passed); } .failed { color: var(--failed); }
.not-offered, .not-reached { color: var(--not-offered); } .not-run, .incomplete { color: var(--not-run); }
.bar { display: flex; height: 6px; border-radius: 3px; overflow: hidden; background: var(--line); gap: 1px; }
.bar i { background: currentColor; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.5rem; margin: 1.5rem 0 0; }
dt { color: var(--soft); } dd { margin: 0; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th { text-align: left; font-weight: 500; color: var(--soft); font-size: .86em; }
th, td { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child, td:first-child { padding-left: .5rem; }
th:last-child, td:last-child { padding-right: .5rem; }
.number { text-align: right; }
th.outcome { width: 9em; } th.number, th.version { width: 7em; } th.proves { width: 13em; }
th.line { width: 4em; } th.mark { width: 2.5em; }
article { margin-top: 2.25rem; padding-top: 1rem; border-top: 2px solid var(--line); }
article.is-failed { border-top-color: var(--failed); }
article table { margin-top: .6rem; }
tr.is-failed > td { background: var(--failed-ground); border-bottom: 0; }
tr.because > td { background: var(--failed-ground); padding-top: 0; padding-bottom: .75rem; }
tr.because table { margin: .5rem 0 0; }
tr.because table tr:last-child td { border-bottom: 0; }
tr.wrong td { color: var(--failed); font-weight: 600; }
details { margin-top: .75rem; }
summary { cursor: pointer; color: var(--soft); }
ul { list-style: none; margin: .75rem 0 0; padding: 0 0 0 1rem; border-left: 3px solid var(--failed); }
ol {
  list-style: none; margin: .5rem 0 0; padding: .25rem .75rem; background: var(--quiet); border-radius: 6px;
}
ol li { padding: .3rem 0; border-bottom: 1px solid var(--line); }
ol li:last-child { border-bottom: 0; }
.raw { color: var(--soft); font-size: .78em; }
.sent { color: var(--accent); }
footer { margin-top: 3.5rem; border-top: 2px solid var(--line); }
@media screen and (max-width: 45rem) {
  body { padding: 1.5rem 1rem; font-size: 14px; }
  th.proves { width: 6em; } th.number, th.version { width: 5em; }
}
@page { margin: 16mm 14mm; }
@media print {
  body { padding: 0; max-width: none; font-size: 9.5pt; }
  a { color: inherit; }
  h2, h3, article > p, summary { break-after: avoid; }
  tr, li { break-inside: avoid; }
  thead { display: table-header-group; }
  ol { padding: 0; background: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
