// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport

/// The image that a machine starts from; see Machine/image.
struct Image: Sendable {
    /// The time limit for making an image from Debian's packages, download included.
    private static let limit: Duration = .seconds(600)

    let kernel: String
    let initialFiles: String

    /// Finds the image of a release, and makes it if there is none.
    init(of release: DebianRelease) async throws {
        let recipe = LanyardTool.packageRoot + "/Tests/BlueZ/Machine/image"
        let process = try ChildProcess(recipe, [release.rawValue])
        let (output, ending) = try await process.waitUntilEnd(within: Self.limit)
        guard ending == .exited(0), let folder = output.split(separator: "\n").last else {
            throw ProcessError.ended("there is no image of \(release)", log: process.log)
        }
        kernel = "\(folder)/kernel"
        initialFiles = "\(folder)/initrd"
    }
}
