// SPDX-License-Identifier: Apache-2.0

/// A timeline as a web page: one file that loads nothing else.
///
/// Text from a device never becomes markup. The page holds it as JSON without a `<`, and the script
/// shows it as text.
struct TimelinePage {
    let timeline: Timeline

    /// The whole page.
    var html: String {
        PageFile.fill(
            Self.document,
            ["style": Self.style, "data": data, "script": Self.script]
        )
    }

    /// Compact JSON without a `<`, so that no HTML parser can end the element that holds it. In
    /// JSON, a `<` is in strings only, where it has an escape.
    private var data: String {
        timeline.json.compact.split(separator: "<", omittingEmptySubsequences: false)
            .joined(separator: "\\u003c")
    }

    // The files of the folder Page. `Scripts/check-page` reads the order of the scripts here.
    private static let document = PageFile.text(PackageResources.page_html)
    private static let style = PageFile.lines(PackageResources.page_css)
    private static let script = [
        PageFile.lines(PackageResources.model_js),
        PageFile.lines(PackageResources.colors_js),
        PageFile.lines(PackageResources.board_js),
        PageFile.lines(PackageResources.axis_js),
        PageFile.lines(PackageResources.packet_js),
        PageFile.lines(PackageResources.log_js),
        PageFile.lines(PackageResources.input_js),
        PageFile.lines(PackageResources.follow_js),
    ].joined(separator: "\n\n")
}
