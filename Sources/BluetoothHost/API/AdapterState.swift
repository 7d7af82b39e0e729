// SPDX-License-Identifier: Apache-2.0

/// The state of a host's adapter.
public enum AdapterState: Sendable, Equatable {
    /// The host is not started, or it is opening the transport and setting up the controller.
    case starting
    /// The controller is set up.
    case ready
    /// The controller failed and is being reset. All links end, and direct connection requests
    /// fail. Scans, advertising sets and pending connections continue afterward.
    case resetting(AdapterFailure)
    /// The transport could not be opened or has ended, or the controller has failed and a reset
    /// would not repair it. The host opens the transport again, after a delay that grows from 0.1
    /// to 3 seconds.
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
    /// The transport could not be opened, or it ended. The text contains the reason.
    case transport(String)
    /// The adapter is in the state ``AdapterState/starting``.
    case notStarted
    /// The controller does not answer commands.
    case unresponsive
    /// The controller reported a hardware error with this vendor-specific code (Vol 4, Part E,
    /// 7.7.16).
    case hardwareError(UInt8)
    /// The controller restarted by itself and lost its state.
    case restarted
    /// The host no longer knows where the controller's packets begin: it received bytes that are
    /// not an HCI packet, or only a part of a packet.
    case desynchronized
    /// The controller could not be set up. The text contains the reason, such as a missing feature.
    case unsuitable(String)

    /// A description in one sentence without a period at its end.
    public var description: String {
        switch self {
        case .transport(let text): text
        case .notStarted: "the adapter is not ready yet"
        case .unresponsive: "the controller does not answer"
        case .hardwareError(let code): "the controller reported hardware error \(code)"
        case .restarted: "the controller restarted by itself"
        case .desynchronized: "the controller's bytes are not whole HCI packets"
        case .unsuitable(let text): "the controller cannot be used: \(text)"
        }
    }
}
