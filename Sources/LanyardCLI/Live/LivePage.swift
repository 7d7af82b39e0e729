// SPDX-License-Identifier: Apache-2.0

/// The page of `live`: one document with its style and its script.
enum LivePage {
    /// The whole page.
    static let html = PageFile.fill(document, ["style": style, "script": script])

    // The files of the folder Page. `Scripts/check-page` reads the order of the scripts here.
    private static let document = PageFile.text(PackageResources.live_html)
    private static let style = PageFile.lines(PackageResources.live_css)
    private static let script = [
        PageFile.lines(PackageResources.live_model_js),
        PageFile.lines(PackageResources.live_devices_js),
        PageFile.lines(PackageResources.live_chart_js),
        PageFile.lines(PackageResources.live_device_js),
        PageFile.lines(PackageResources.live_map_js),
        PageFile.lines(PackageResources.live_start_js),
    ].joined(separator: "\n\n")
}
