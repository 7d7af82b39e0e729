// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Lanyard

/// The connection of a central or a server to the adapter, and the last state that the adapter
/// reported to it.
///
/// Unchecked: `state` and `statesReceived` are used on the client's queue only.
final class PortClient: @unchecked Sendable {
    let session = SessionIdentifier.next()
    private let connection = AdapterConnection()
    private(set) var state = ManagerState.unknown
    /// The number of states that the client received. The adapter compares it with the number of
    /// states that it sent, and so recognizes commands that were given before its latest state.
    private(set) var statesReceived = 0

    /// The adapter; `nil` before it is open, and if there is none.
    var adapter: SharedAdapter? { connection.adapter }

    /// Whether the client has left the adapter.
    var hasLeft: Bool { connection.hasLeft }

    var availability: Availability {
        switch state {
        case .unknown: .unknown
        case .resetting: .resetting
        case .unsupported: .unsupported
        case .unauthorized: .unauthorized
        case .poweredOff: .poweredOff
        case .poweredOn: .poweredOn
        }
    }

    /// Calls `join` as soon as the adapter is open, or `fail` if it cannot be opened.
    func open(
        _ usage: AdapterUsage,
        _ join: @escaping AdapterConnection.Command,
        orElse fail: @escaping @Sendable () -> Void
    ) {
        connection.open(usage, join, orElse: fail)
    }

    /// Leaves the adapter. Further calls have no effect.
    func leave(_ command: @escaping AdapterConnection.Command) {
        guard !hasLeft else { return }
        connection.leave(command)
    }

    /// Records a state that the client received.
    func received(_ state: ManagerState) {
        self.state = state
        statesReceived += 1
    }

    /// Gives the adapter a command that needs Bluetooth. Has no effect if Bluetooth is not on. The
    /// adapter ignores a command that arrives after a change of its state. An event reports that
    /// change.
    func give(_ command: @escaping @Sendable (isolated SharedAdapter, SessionIdentifier) -> Void) {
        guard state == .poweredOn else { return }
        adapter?.execute { [session, statesReceived] adapter in
            guard adapter.accepts(commandOf: session, after: statesReceived) else { return }
            command(adapter, session)
        }
    }
}

extension LinkFailure {
    /// Creates a failure from an error of a client.
    init(_ error: ClientError) {
        switch error {
        case .failed(let code): self.init(linkCode: code.rawValue, error.text)
        case .attribute(let code): self.init(attributeCode: Int(code.rawValue), error.text)
        }
    }
}

extension BluetoothID {
    /// Creates a UUID from that of the adapter's clients.
    init(_ written: WrittenUUID) {
        self.init(shortening: written.text)
    }

    /// The UUID in the width that the adapter's clients use.
    var written: WrittenUUID? { WrittenUUID(text: text) }
}
