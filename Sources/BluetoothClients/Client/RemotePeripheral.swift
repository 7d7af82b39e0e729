// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// A peripheral as one client sees it: its connection and its discovered attributes.
///
/// The client updates it in calls of the application, and before it reports an event.
package struct RemotePeripheral: Sendable {
    /// The state of the client's connection. The numbers are those of Core Bluetooth.
    package enum State: Int, Sendable {
        case disconnected = 0
        case connecting = 1
        case connected = 2
        case disconnecting = 3
    }

    package var name: String?
    package private(set) var state = State.disconnected
    /// The connection request whose end has not been reported yet.
    package private(set) var request: ConnectionRequestNumber?
    /// The discovered attributes; `nil` before the first discovery and after a disconnection,
    /// unless the system reconnects.
    package private(set) var table: RemoteTable?
    /// The counter of the waiting writes without response; `nil` while there is no connection.
    package private(set) var window: WriteWindow?

    package init(name: String?) {
        self.name = name
    }

    /// Whether there is space for another write without response.
    package var hasRoom: Bool { state == .connected && window?.hasRoom == true }

    /// Whether events of the link may reach the application.
    package var isLinked: Bool { state == .connected || state == .disconnecting }

    // MARK: The connection

    /// Stores a connection request.
    package mutating func connectionWanted(_ request: ConnectionRequestNumber) {
        self.request = request
        if state != .connected { state = .connecting }
    }

    /// Marks the peripheral as disconnecting. Returns `false` if there is no connection or
    /// connection request.
    package mutating func disconnectionWanted() -> Bool {
        guard state == .connecting || state == .connected else { return false }
        state = .disconnecting
        return true
    }

    /// Marks the peripheral as connected. Returns `false` if the connection request was canceled or
    /// replaced in the meantime.
    package mutating func connected(_ request: ConnectionRequestNumber) -> Bool {
        guard self.request == request, state != .disconnecting else { return false }
        // A client may request a connection that it already has.
        if state != .connected || window == nil { window = WriteWindow() }
        state = .connected
        return true
    }

    /// Removes a connection request that ended, and the table of attributes. If there is a later
    /// request, the peripheral is connecting.
    package mutating func disconnected(_ request: ConnectionRequestNumber) {
        if self.request == request { self.request = nil }
        state = self.request == nil ? .disconnected : .connecting
        window = nil
        table = nil
    }

    /// Marks the link as lost, and ends all subscriptions. The state becomes `connecting` if the
    /// system reconnects, and `disconnected` otherwise. A cancellation that is in progress
    /// continues.
    package mutating func lost(isReconnecting: Bool) {
        window = nil
        if state != .disconnecting { state = isReconnecting ? .connecting : .disconnected }
        table?.endSubscriptions()
    }

    /// Removes the connection request, the connection and the table of attributes, because the
    /// adapter is off.
    package mutating func powerLost() {
        request = nil
        state = .disconnected
        window = nil
        table = nil
    }

    // MARK: Attributes

    /// Updates the table with an event. Returns the handles of the services that may have changed.
    package mutating func take(_ event: RemoteEvent) -> [AttributeHandle] {
        if case .found(.services, .success) = event { table = table ?? RemoteTable() }
        return table?.take(event) ?? []
    }

    /// Restores the attributes that a former process discovered, as if they had been discovered
    /// now.
    package mutating func adopt(_ table: RemoteTable) { self.table = table }

    /// Returns the request for a write without response; `nil` if too many writes wait or there is
    /// no connection. The value is cut to `limit` bytes.
    package func command(
        _ value: some Sequence<UInt8>,
        to characteristic: GATT.Characteristic,
        limit: Int
    ) -> ClientRequest? {
        guard let window, window.take() else { return nil }
        return .command(characteristic, Array(value.prefix(limit)), window)
    }
}
