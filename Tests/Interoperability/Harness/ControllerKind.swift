// SPDX-License-Identifier: Apache-2.0

import Testing

/// The controllers that the tests run on.
enum ControllerKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// Bumble's controllers, which check little and implement many commands only in part.
    case bumble
    /// RootCanal's controllers, which check commands more strictly than Bumble's.
    case rootCanal
    /// Our own controllers, on the virtual radio of `lanyard air`, which has latency and loses
    /// packets over long distances.
    case lanyard

    /// The kinds that exist for this machine: RootCanal's library is for Linux on x86-64.
    static var available: [ControllerKind] {
        #if os(Linux) && arch(x86_64)
            allCases
        #else
            [.bumble, .lanyard]
        #endif
    }

    var testDescription: String { "on \(rawValue)" }

    /// The program that serves controllers of this kind.
    var executable: String {
        switch self {
        case .bumble: PeerInstallation.python
        case .rootCanal: PeerInstallation.rootCanalServer
        case .lanyard: LanyardTool.path
        }
    }

    /// Returns the arguments with which `executable` serves at these endpoints.
    func arguments(endpoints: [String]) -> [String] {
        switch self {
        case .bumble: [PeerInstallation.scripts + "controllers.py"] + endpoints
        case .rootCanal: [PeerInstallation.rootCanalLibrary] + endpoints
        case .lanyard:
            ["air", "--empty", "--json", "--until-end-of-input"]
                + endpoints.flatMap { ["--listen", Self.whole($0)] }
        }
    }

    /// Returns the endpoint in the format of `lanyard air`: with the host 127.0.0.1 if it has only
    /// a port.
    private static func whole(_ endpoint: String) -> String {
        let parts = endpoint.split(separator: ":")
        return parts.count == 2 && parts[0] == "tcp" ? "tcp:127.0.0.1:\(parts[1])" : endpoint
    }
}
