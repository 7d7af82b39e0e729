// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The link itself: its properties, and its end.
extension Link {
    /// What is known of a link at one moment.
    public struct Properties: Sendable, Equatable {
        /// The longest ATT PDU, 23 to 517: a notification carries up to `mtu - 3` bytes.
        public let mtu: Int
        /// Its timing.
        public let parameters: ConnectionParameters
        /// Its largest packets.
        public let dataLength: DataLength
        /// Its physical layers.
        public let phy: LinkPHY
        /// Which end of it is ours.
        public let role: LinkRole
    }

    /// The link's properties now. Throws why the link ended if there is no link any more.
    public var properties: Properties {
        get async throws { try await host.properties(of: identifier) }
    }

    /// The longest ATT PDU now; see `Properties`.
    public var mtu: Int {
        get async throws { try await properties.mtu }
    }

    /// Which end of the link is ours: the Central has made it, the Peripheral has advertised.
    public var role: LinkRole {
        get async throws { try await properties.role }
    }

    /// The strength at which the peer was heard last, in dBm (Vol 4, Part E, 7.5.4); nil if the
    /// controller cannot tell.
    public func readRSSI() async throws -> Int? {
        guard case .rssi(let rssi) = try await host.request(.readRSSI, of: identifier)
        else { throw HostError.malformedAnswer }
        return rssi
    }

    /// Asks for other timing, and returns what was agreed on.
    ///
    /// A Central has its controller change it (Vol 4, Part E, 7.8.18). A Peripheral asks the
    /// Central: in the link layer where both controllers can, otherwise on the signalling channel
    /// (Vol 3, Part A, 4.20); a refusal is thrown as `HostError.controller`.
    public func updateParameters(_ update: ConnectionUpdate) async throws -> ConnectionParameters {
        guard
            case .parameters(let parameters) = try await host.request(
                .updateParameters(update),
                of: identifier
            )
        else { throw HostError.malformedAnswer }
        return parameters
    }

    /// Asks for larger packets on the air: 27 to 251 octets of payload (Vol 4, Part E, 7.8.33).
    /// `properties` shows what came of it, soon after.
    public func requestDataLength(octets: Int = 251) async throws {
        _ = try await host.request(.setDataLength(octets: octets), of: identifier)
    }

    /// Asks for other physical layers, nil for no preference, and returns those in use then
    /// (Vol 4, Part E, 7.8.49).
    public func requestPHY(transmit: PHY?, receive: PHY?) async throws -> LinkPHY {
        let request = LinkRequest.setPHY(transmit: transmit, receive: receive)
        guard case .phy(let phy) = try await host.request(request, of: identifier)
        else { throw HostError.malformedAnswer }
        return phy
    }

    /// Asks the controller for the physical layers in use (Vol 4, Part E, 7.8.47).
    public func readPHY() async throws -> LinkPHY {
        guard case .phy(let phy) = try await host.request(.readPHY, of: identifier)
        else { throw HostError.malformedAnswer }
        return phy
    }

    /// Asks the peer who made its controller (Vol 4, Part E, 7.1.23).
    public func readRemoteVersion() async throws -> RemoteVersion {
        guard
            case .version(let version) = try await host.request(
                .readRemoteVersion,
                of: identifier
            )
        else { throw HostError.malformedAnswer }
        return version
    }

    /// Ends the link. Returns when the controller confirms it, also if the link had ended already. Right
    /// after a pairing the end waits until the peer has its keys, but no longer than two seconds.
    /// A task that is cancelled, even before, ends the link too, but does not wait.
    public func disconnect() async throws {
        do {
            _ = try await host.request(.disconnect, of: identifier)
        } catch HostError.disconnected {}
    }

    /// Waits for the end of the link, and returns why it ended. Returns at once if it has ended;
    /// throws only `CancellationError`.
    public func ended() async throws -> HostError {
        try await host.end(of: identifier)
    }
}
