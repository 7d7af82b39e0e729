// SPDX-License-Identifier: Apache-2.0

/// A time line as a web page: one file that loads nothing else.
///
/// Text from a device never becomes markup. The page holds it as JSON without a `<`, and the script
/// shows it as text.
struct TimelinePage {
    let timeline: Timeline

    /// The whole page.
    var html: String {
        let parts = ["style": Self.style, "data": data, "script": Self.script]
        return Self.document.replacing(#/\{\{(\w+)\}\}/#) { parts[String($0.1)] ?? "" }
    }

    /// Compact JSON without a `<`, so that no HTML parser can end the element that holds it. In
    /// JSON, a `<` is in strings only, where it has an escape.
    private var data: String {
        timeline.json.compact.split(separator: "<", omittingEmptySubsequences: false)
            .joined(separator: "\\u003c")
    }

    // The files of the folder Page. `Scripts/check-page` reads the order of the scripts here.
    private static let document = text(PackageResources.page_html)
    private static let style = line(PackageResources.page_css)
    private static let script = [
        line(PackageResources.model_js),
        line(PackageResources.colors_js),
        line(PackageResources.board_js),
        line(PackageResources.axis_js),
        line(PackageResources.log_js),
        line(PackageResources.input_js),
    ].joined(separator: "\n\n")

    /// Returns the text of a file without its first line, which names the license.
    private static func text(_ file: [UInt8]) -> String {
        let license = file.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: file.dropFirst(license.count + 1), as: UTF8.self)
    }

    /// Returns the same without the end of its last line.
    private static func line(_ file: [UInt8]) -> String { String(text(file).dropLast()) }
}
