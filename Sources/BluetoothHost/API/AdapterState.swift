// SPDX-License-Identifier: Apache-2.0

/// Whether an adapter can be used, and if not, why not.
public enum AdapterState: Sendable, Equatable {
    /// Not started yet, or the transport is being opened and the controller set up.
    case starting
    /// The controller is set up; scanning and connecting work.
    case ready
    /// The controller failed and is being reset: all links are gone, work that waits is kept.
    case resetting(AdapterFailure)
    /// The controller cannot be reached. The host keeps trying, less and less often.
    case unavailable(AdapterFailure)
    /// Shut down for good by `BluetoothHost.shutdown()`.
    case closed

    /// Why nothing can be done with the adapter now; nil when it is ready.
    var obstacle: HostError? {
        switch self {
        case .ready: nil
        case .starting: .adapter(.notStarted)
        case .resetting(let failure), .unavailable(let failure): .adapter(failure)
        case .closed: .closed
        }
    }
}

/// Why an adapter cannot be used.
public enum AdapterFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The transport could not be opened, or ended. The text says why and what to do.
    case transport(String)
    /// The host was not started yet, or is still setting the controller up.
    case notStarted
    /// The controller stopped answering commands.
    case unresponsive
    /// The controller announced a fault of its own, with its vendor's code
    /// (Vol 4, Part E, 7.7.16).
    case hardwareError(UInt8)
    /// The controller restarted by itself, and forgot what it was doing.
    case restarted
    /// What arrived was no HCI packet: both ends no longer agree where packets begin.
    case desynchronised
    /// The controller lacks or refuses something a Low Energy host cannot do without.
    case unsuitable(String)

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .transport(let text): text
        case .notStarted: "the adapter is not ready yet"
        case .unresponsive: "the controller does not answer"
        case .hardwareError(let code): "the controller reported hardware error \(code)"
        case .restarted: "the controller restarted by itself"
        case .desynchronised: "the controller sent bytes that are no HCI packet"
        case .unsuitable(let text): "the controller cannot be used: \(text)"
        }
    }
}
