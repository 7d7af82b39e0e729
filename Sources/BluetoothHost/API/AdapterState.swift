// SPDX-License-Identifier: Apache-2.0

/// The state of a host's adapter.
public enum AdapterState: Sendable, Equatable {
    /// The host is not started, or it is opening the transport and setting up the controller.
    case starting
    /// The controller is set up. Scanning and connecting work.
    case ready
    /// The controller failed and is being reset. All links have ended. Scans, advertising sets and
    /// pending connection requests continue afterward.
    case resetting(AdapterFailure)
    /// The host cannot reach the controller. The host keeps trying at growing intervals.
    case unavailable(AdapterFailure)
    /// `BluetoothHost.shutdown()` has shut the host down permanently.
    case closed

    /// The error that explains why the adapter cannot be used; `nil` if it is ready.
    var obstacle: HostError? {
        switch self {
        case .ready: nil
        case .starting: .adapter(.notStarted)
        case .resetting(let failure), .unavailable(let failure): .adapter(failure)
        case .closed: .closed
        }
    }
}

/// The reason why an adapter cannot be used.
public enum AdapterFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The transport could not be opened, or it ended. The text contains the reason and the remedy.
    case transport(String)
    /// The host was not started yet, or is still setting up the controller.
    case notStarted
    /// The controller stopped answering commands.
    case unresponsive
    /// The controller reported a hardware error with this vendor-specific code (Vol 4, Part E,
    /// 7.7.16).
    case hardwareError(UInt8)
    /// The controller restarted by itself and lost its state.
    case restarted
    /// The host received bytes that are not an HCI packet: the host and the controller no longer
    /// agree on where packets begin.
    case desynchronized
    /// The controller lacks or refuses a feature that a Low Energy host requires. The text contains
    /// the reason.
    case unsuitable(String)

    /// A description in one sentence without a period at its end.
    public var description: String {
        switch self {
        case .transport(let text): text
        case .notStarted: "the adapter is not ready yet"
        case .unresponsive: "the controller does not answer"
        case .hardwareError(let code): "the controller reported hardware error \(code)"
        case .restarted: "the controller restarted by itself"
        case .desynchronized: "the controller sent bytes that are not an HCI packet"
        case .unsuitable(let text): "the controller cannot be used: \(text)"
        }
    }
}
