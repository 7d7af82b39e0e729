// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The location of the installed peers, and the rule for missing peers.
///
/// On a developer's machine, a test without its peer is skipped with a message. With `CI=true`, the
/// test runs and fails, so that no test is left out unnoticed.
enum PeerInstallation {
    /// The package's own folder.
    static let packageRoot = LanyardTool.packageRoot

    /// The folder that `Scripts/install-peers` makes.
    static let directory =
        ProcessInfo.processInfo.environment["LANYARD_PEERS"] ?? packageRoot + "/.peers"

    static let python = directory + "/venv/bin/python"
    static let rootCanalServer = directory + "/rootcanal_server"
    static let rootCanalLibrary = directory + "/librootcanal_ffi.so"
    static let recentRootCanalServer = directory + "/recent_server"

    /// The folder of the scripts that `python` runs.
    static let scripts = packageRoot + "/Tests/Interoperability/Peers/"

    #if os(Linux)
        /// The server that starts the scripts without a new interpreter for each.
        static let forkServer = ForkServer([python, scripts + "forks.py"])
    #endif

    static let isContinuousIntegration = ProcessInfo.processInfo.environment["CI"] == "true"

    /// Returns whether tests with these peers run: all are installed, or a missing peer has to fail
    /// the test.
    static func shouldRun(needing executables: String...) -> Bool {
        isContinuousIntegration
            || executables.allSatisfy(FileManager.default.isExecutableFile(atPath:))
    }

    /// Returns the first executable with this name in the search path.
    static func find(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.lazy.map { "\($0)/\(name)" }
            .first(where: FileManager.default.isExecutableFile(atPath:))
    }
}

extension Trait where Self == ConditionTrait {
    /// The test uses Bumble and, on Linux on x86-64, RootCanal.
    static var needsPeers: Self {
        .enabled(
            if: ControllerKind.available.allSatisfy { kind in
                PeerInstallation.shouldRun(needing: PeerInstallation.python, kind.executable)
            },
            "The peers are not installed: Scripts/install-peers"
        )
    }

    /// The test has Wireshark check a trace.
    static var needsWireshark: Self {
        .enabled(
            if: Dissection.isPossible,
            "Wireshark's programs are not installed: Scripts/install-peers --with-tshark"
        )
    }
}
