// SPDX-License-Identifier: Apache-2.0

/// A time line as a page for a browser: one file that needs nothing else, and asks nobody for anything.
///
/// Nothing that a device said becomes markup: it is in the page as data only, in which no `<` stands, and
/// the script shows it as text.
struct TimelinePage {
    let timeline: Timeline

    /// The whole page.
    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Time line</title>
        <style>
        \(Self.style)
        </style>
        </head>
        <body>
        \(Self.markup)
        <script type="application/json" id="data">\(data)</script>
        <script>
        \(Self.script)
        </script>
        </body>
        </html>

        """
    }

    /// Compact JSON that no parser of markup stumbles over: `<` stands in strings only, where it can be
    /// written otherwise.
    private var data: String {
        timeline.json.compact.split(separator: "<", omittingEmptySubsequences: false)
            .joined(separator: "\\u003c")
    }

    static let script = [
        modelScript, colourScript, boardScript, axisScript, logScript, inputScript,
    ].joined(separator: "\n\n")
}
