// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Where the peers are, and what happens if they are not there.
///
/// On a developer's machine a test whose peer is missing is skipped, and says so. With `CI=true`
/// it runs and fails: nothing may stay untested there without anybody noticing.
enum PeerInstallation {
    /// The package's own folder.
    static let packageRoot = LanyardTool.packageRoot

    /// What `Scripts/install-peers` made.
    static let directory =
        ProcessInfo.processInfo.environment["LANYARD_PEERS"] ?? packageRoot + "/.peers"

    static let python = directory + "/venv/bin/python"
    static let rootCanalServer = directory + "/rootcanal_server"
    static let rootCanalLibrary = directory + "/librootcanal_ffi.so"

    /// The folder of the scripts that are run with `python`.
    static let scripts = packageRoot + "/Tests/Interoperability/Peers/"

    static let isContinuousIntegration = ProcessInfo.processInfo.environment["CI"] == "true"

    /// Whether tests with these peers are to run: all there, or nobody would notice.
    static func shouldRun(needing executables: String...) -> Bool {
        isContinuousIntegration
            || executables.allSatisfy(FileManager.default.isExecutableFile(atPath:))
    }

    /// The first executable of that name in the search path.
    static func find(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.lazy.map { "\($0)/\(name)" }
            .first(where: FileManager.default.isExecutableFile(atPath:))
    }
}

extension Trait where Self == ConditionTrait {
    /// The test talks to Bumble, and on machines that have it to RootCanal.
    static var needsPeers: Self {
        .enabled(
            if: ControllerKind.available.allSatisfy { kind in
                PeerInstallation.shouldRun(needing: PeerInstallation.python, kind.executable)
            },
            "The peers are not installed: Scripts/install-peers"
        )
    }

    /// The test has tshark judge a trace.
    static var needsTshark: Self {
        .enabled(
            if: PeerInstallation.isContinuousIntegration || PeerInstallation.find("tshark") != nil,
            "tshark is not installed: Scripts/install-peers --with-tshark"
        )
    }
}
