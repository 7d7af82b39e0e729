// SPDX-License-Identifier: Apache-2.0

extension TimelinePage {
    /// How the page looks, by day and by night.
    static let style = #"""
        :root {
          color-scheme: light dark;
          --paper: light-dark(#fbfbfa, #16181c);
          --panel: light-dark(#ffffff, #1d2025);
          --raised: light-dark(#f2f2ef, #272b32);
          --line: light-dark(#dddcd6, #363b44);
          --faint: light-dark(#ecebe6, #252930);
          --ink: light-dark(#1d2025, #e9eaec);
          --soft: light-dark(#5d636d, #a4abb6);
          --accent: light-dark(#1f5fbf, #7fb2ff);
          --mark: light-dark(#ffe9a8, #5a4a12);
          --call: light-dark(#1f5fbf, #7fb2ff);
          --callback: light-dark(#a0389b, #e79be3);
          --note: light-dark(#8a6d1a, #dcbf63);
          --hci: light-dark(#8b919b, #7b828d);
          --ll: light-dark(#6b7280, #9aa1ac);
          --l2cap: light-dark(#c0562b, #f09a6e);
          --att: light-dark(#0f7f74, #52c9bc);
          --smp: light-dark(#b3261e, #ff8d84);
          font: 13px/1.4 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
        }
        :root[data-theme="light"] { color-scheme: light; }
        :root[data-theme="dark"] { color-scheme: dark; }
        * { box-sizing: border-box; }
        html, body { height: 100%; margin: 0; }
        body {
          display: grid; grid-template-rows: auto auto minmax(160px, 1fr) minmax(150px, 32%);
          grid-template-columns: minmax(0, 1fr) 320px;
          grid-template-areas: "head head" "map side" "stage side" "log side";
          background: var(--paper); color: var(--ink); overflow: hidden;
        }
        button, input { font: inherit; color: inherit; }
        button {
          border: 1px solid var(--line); background: var(--panel); border-radius: 6px;
          padding: 3px 9px; cursor: pointer; white-space: nowrap;
        }
        button:hover { background: var(--raised); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        header {
          grid-area: head; display: flex; gap: 8px 14px; align-items: center; flex-wrap: wrap;
          padding: 9px 14px; border-bottom: 1px solid var(--line); background: var(--panel);
        }
        h1 { font-size: 15px; margin: 0; font-weight: 650; }
        header p { margin: 0; color: var(--soft); flex: 1 1 160px; }
        .group { display: flex; gap: 4px; align-items: center; }
        .chip[aria-pressed="false"] { color: var(--soft); background: none; border-style: dashed; }
        .chip[aria-pressed="true"] { background: var(--raised); }
        .chip svg { margin-right: 5px; vertical-align: -1px; }
        #query {
          width: 170px; padding: 3px 9px; border: 1px solid var(--line); border-radius: 6px;
          background: var(--paper);
        }
        #map { grid-area: map; height: 46px; border-bottom: 1px solid var(--line); }
        #map canvas { display: block; width: 100%; height: 100%; cursor: grab; }
        #stage { grid-area: stage; position: relative; overflow: hidden auto; }
        #stage:focus-visible { outline: none; }
        #stage:focus-visible #board { outline: 2px solid var(--accent); outline-offset: -2px; }
        #space { position: relative; min-height: 100%; }
        #board {
          position: sticky; top: 0; display: block; width: 100%; cursor: grab; touch-action: none;
        }
        #board.dragging, #map.dragging canvas { cursor: grabbing; }
        #names { position: absolute; inset: 0 auto auto 0; width: 176px; }
        .device { position: absolute; left: 0; width: 176px; padding: 0 8px 0 10px; }
        .device button {
          all: unset; display: block; width: 100%; cursor: pointer; font-weight: 600;
          overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 20px;
          border-radius: 4px;
        }
        .device button:focus-visible { outline: 2px solid var(--accent); }
        .device button::before { content: "▾"; display: inline-block; width: 14px; color: var(--soft); }
        .device button[aria-expanded="false"]::before { content: "▸"; }
        .device span {
          position: absolute; right: 10px; color: var(--soft); font-size: 11px; line-height: 16px;
        }
        #log { grid-area: log; display: grid; grid-template-rows: auto 1fr;
          border-top: 1px solid var(--line); min-height: 0; background: var(--panel); }
        #count { padding: 5px 14px; color: var(--soft); border-bottom: 1px solid var(--faint); }
        #rows { overflow: auto; position: relative; }
        #rows:focus-visible { outline-offset: -2px; }
        #rows > div { position: relative; }
        .row {
          position: absolute; left: 0; right: 0; height: 22px; display: grid; gap: 12px;
          grid-template-columns: 84px 130px 74px minmax(0, 1fr);
          padding: 0 14px; line-height: 22px; cursor: pointer;
          font-variant-numeric: tabular-nums;
        }
        .row > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .row time { text-align: right; color: var(--soft); }
        .row .what { color: var(--lane); }
        .row .more { color: var(--soft); margin-left: 16px; }
        .row.packet .text, #detail .packet { font-family: ui-monospace, "DejaVu Sans Mono", monospace;
          font-size: 12px; }
        .row:hover { background: var(--faint); }
        .row[aria-selected="true"] { background: var(--mark); }
        aside {
          grid-area: side; border-left: 1px solid var(--line); background: var(--panel);
          overflow: auto; padding: 14px;
        }
        aside h2 { font-size: 14px; margin: 0 0 8px; overflow-wrap: anywhere; }
        aside h3 { font-size: 11px; margin: 18px 0 7px; color: var(--soft); font-weight: 600;
          letter-spacing: .06em; text-transform: uppercase; }
        dl { display: grid; grid-template-columns: auto 1fr; gap: 3px 12px; margin: 0; }
        dt { color: var(--soft); }
        dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
        #detail p { margin: 0 0 10px; overflow-wrap: anywhere; white-space: pre-wrap; }
        #detail .group { margin-top: 12px; flex-wrap: wrap; }
        #chapters { margin: 0; padding: 0; list-style: none; }
        #chapters button { all: unset; display: grid; grid-template-columns: 20px 1fr; width: 100%;
          padding: 3px 6px; border-radius: 5px; cursor: pointer; }
        #chapters button:hover, #chapters button[aria-current="true"] { background: var(--raised); }
        #chapters button:focus-visible { outline: 2px solid var(--accent); }
        #chapters i { font-style: normal; color: var(--soft); }
        .key { display: grid; grid-template-columns: 26px 1fr; gap: 3px 8px; align-items: center; }
        .key b { height: 13px; border-radius: 3px; border-left: 3px solid; }
        .key svg { justify-self: center; }
        kbd { font: inherit; font-size: 11px; border: 1px solid var(--line); border-radius: 4px;
          padding: 0 5px; background: var(--raised); }
        #tip {
          position: fixed; pointer-events: none; max-width: 460px; padding: 7px 10px; z-index: 9;
          background: var(--ink); color: var(--paper); border-radius: 7px; visibility: hidden;
          box-shadow: 0 4px 16px #0004; overflow-wrap: anywhere;
        }
        #tip small { display: block; opacity: .75; font-size: 12px; }
        @media (max-width: 1000px) {
          body { grid-template-columns: minmax(0, 1fr);
            grid-template-areas: "head" "map" "stage" "log"; }
          aside { position: fixed; inset: auto 0 0 0; max-height: 45%; z-index: 5;
            border-top: 1px solid var(--line); }
          body:not(.selected) aside, #guide { display: none; }
          .row { grid-template-columns: 70px 90px minmax(0, 1fr); }
          .row .what { display: none; }
        }
        """#
}
