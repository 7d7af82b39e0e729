// SPDX-License-Identifier: Apache-2.0

extension TimelinePage {
    /// What stands on the page before its script fills it.
    static let markup = #"""
        <header>
          <h1 id="title"></h1>
          <p id="subtitle"></p>
          <div class="group" id="lanes" role="group" aria-label="What is shown"></div>
          <input id="query" type="search" placeholder="Search  /" aria-label="Search"
            autocomplete="off" spellcheck="false">
          <div class="group" role="group" aria-label="View">
            <button id="closer" title="Closer (+)" aria-label="Closer">+</button>
            <button id="farther" title="Farther (−)" aria-label="Farther">−</button>
            <button id="all" title="Everything (0)">All</button>
            <button id="folds" class="chip" aria-pressed="true"
              title="Idle time is shown shorter than it was (f)">Fold idle time</button>
            <button id="theme" title="Light or dark" aria-label="Light or dark">◐</button>
          </div>
        </header>
        <div id="map"><canvas aria-hidden="true"></canvas></div>
        <main id="stage" tabindex="0" aria-label="Time line. The list below has the same as text.">
          <div id="space"><canvas id="board"></canvas><div id="names"></div></div>
        </main>
        <section id="log" aria-label="Events">
          <div id="count" role="status"></div>
          <div id="rows" tabindex="0" role="listbox" aria-label="Events"><div></div></div>
        </section>
        <aside aria-label="Details">
          <div id="detail" aria-live="polite"></div>
          <div id="guide"></div>
        </aside>
        <div id="tip" role="tooltip"></div>
        <noscript>This page draws itself with a script, which is in the page.</noscript>
        """#
}
