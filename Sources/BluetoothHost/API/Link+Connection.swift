// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The link's properties, and its end.
extension Link {
    /// The properties of a link at one moment.
    public struct Properties: Sendable, Equatable {
        /// The ATT MTU, 23 to 517 bytes. A notification carries up to `mtu - 3` bytes.
        public let mtu: Int
        /// The link's timing.
        public let parameters: ConnectionParameters
        /// The largest link-layer payloads of the link.
        public let dataLength: DataLength
        /// The link's physical layers.
        public let phy: LinkPHY
        /// The host's role on the link.
        public let role: LinkRole
    }

    /// The link's current properties. Throws the reason why the link ended if it is not open.
    public var properties: Properties {
        get async throws { try await host.properties(of: identifier) }
    }

    /// The current ATT MTU, 23 to 517 bytes. Throws as `properties` does.
    public var mtu: Int {
        get async throws { try await properties.mtu }
    }

    /// The host's role on the link. The central initiated the connection, and the peripheral
    /// advertised. Throws as `properties` does.
    public var role: LinkRole {
        get async throws { try await properties.role }
    }

    /// Reads the signal strength of the peer's last packet (Vol 4, Part E, 7.5.4).
    ///
    /// - Returns: The strength in dBm; `nil` if the controller cannot measure it.
    /// - Throws: ``HostError/unsupported(_:)`` if the controller lacks the command,
    ///   ``HostError/controller(_:)`` if the controller refuses, ``HostError/commandTimedOut`` if
    ///   the controller does not answer, ``HostError/malformedAnswer`` if its answer cannot be
    ///   read, ``HostError/tooManyRequests`` if a queue is full, the reason why the link ended (see
    ///   ``Link``), and `CancellationError` if the task is canceled.
    public func readRSSI() async throws -> Int? {
        guard case .rssi(let rssi) = try await host.request(.readRSSI, of: identifier)
        else { throw HostError.malformedAnswer }
        return rssi
    }

    /// Requests other connection parameters.
    ///
    /// A central makes its controller change them (Vol 4, Part E, 7.8.18). A peripheral asks the
    /// central, in the Link Layer if both controllers support it, otherwise on the signaling
    /// channel (Vol 3, Part A, 4.20).
    ///
    /// - Parameter update: The parameters to request.
    /// - Returns: The parameters that apply afterward.
    /// - Throws: ``HostError/controller(_:)`` if the peer or the controller refuses,
    ///   ``HostError/busy`` if another update is in progress on the link,
    ///   ``HostError/unsupported(_:)`` if the controller of a central lacks the command,
    ///   ``HostError/timedOut`` if there is no result after 40 seconds, or no response on the
    ///   signaling channel after 30 seconds, ``HostError/commandTimedOut``,
    ///   ``HostError/tooManyRequests`` if a queue is full, the reason why the link ended (see
    ///   ``Link``), and `CancellationError` if the task is canceled.
    public func updateParameters(_ update: ConnectionUpdate) async throws -> ConnectionParameters {
        guard
            case .parameters(let parameters) = try await host.request(
                .updateParameters(update),
                of: identifier
            )
        else { throw HostError.malformedAnswer }
        return parameters
    }

    /// The changes of the connection parameters, whichever side requested them.
    ///
    /// The stream yields the new parameters after each update (Vol 4, Part E, 7.7.65.3), to every
    /// reader. A reader that is more than ``parameterUpdateLimit`` updates behind misses the
    /// oldest; ``properties-swift.property`` has the current parameters. The stream keeps the host
    /// alive. It ends when the link ends, and at once if the link is not open.
    public var parameterUpdates: AsyncStream<ConnectionParameters> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionParameters.self,
            bufferingPolicy: .bufferingNewest(Self.parameterUpdateLimit)
        )
        let reader = host.takeRequest()
        // `BluetoothHost.incomingLinks` explains why the handler is set here and keeps the host.
        continuation.onTermination = { [host, identifier] _ in
            host.execute { $0.parameterReaders[identifier]?.remove(reader) }
        }
        host.execute { [identifier] in
            $0.addParameterReader(continuation, as: reader, of: identifier)
        }
        return stream
    }

    /// The maximum number of updates that ``parameterUpdates`` holds for a busy reader.
    public static let parameterUpdateLimit = 64

    /// Requests a larger link-layer data length (Vol 4, Part E, 7.8.33).
    ///
    /// Returns when the controller has accepted the request. `properties` contains the result soon
    /// afterward.
    ///
    /// - Parameter bytes: The payload of one packet that this side sends, in bytes. The host
    ///   limits the number to the range 27 to 251.
    /// - Throws: ``HostError/unsupported(_:)`` if the controller lacks the command,
    ///   ``HostError/controller(_:)`` if the controller refuses, ``HostError/commandTimedOut``,
    ///   ``HostError/malformedAnswer``, ``HostError/tooManyRequests`` if a queue is full, the
    ///   reason why the link ended (see ``Link``), and `CancellationError` if the task is canceled.
    public func requestDataLength(bytes: Int = 251) async throws {
        _ = try await host.request(.setDataLength(bytes: bytes), of: identifier)
    }

    /// Requests other physical layers (Vol 4, Part E, 7.8.49).
    ///
    /// - Parameters:
    ///   - transmit: The physical layer to send on; `nil` for no preference.
    ///   - receive: The physical layer to receive on; `nil` for no preference.
    /// - Returns: The physical layers in use afterward.
    /// - Throws: ``HostError/controller(_:)`` if the controller refuses, ``HostError/busy`` if
    ///   another request is in progress on the link, ``HostError/unsupported(_:)`` if the
    ///   controller lacks the command, ``HostError/timedOut`` if there is no result after 40
    ///   seconds, ``HostError/commandTimedOut``, ``HostError/tooManyRequests`` if a queue is full,
    ///   the reason why the link ended (see ``Link``), and `CancellationError` if the task is
    ///   canceled.
    public func requestPHY(transmit: PHY?, receive: PHY?) async throws -> LinkPHY {
        let request = LinkRequest.setPHY(transmit: transmit, receive: receive)
        guard case .phy(let phy) = try await host.request(request, of: identifier)
        else { throw HostError.malformedAnswer }
        return phy
    }

    /// Reads the physical layers in use from the controller (Vol 4, Part E, 7.8.47).
    ///
    /// - Returns: The physical layers, one for each direction.
    /// - Throws: ``HostError/unsupported(_:)`` if the controller lacks the command,
    ///   ``HostError/controller(_:)`` if the controller refuses, ``HostError/commandTimedOut`` if
    ///   the controller does not answer, ``HostError/malformedAnswer`` if its answer cannot be
    ///   read, ``HostError/tooManyRequests`` if a queue is full, the reason why the link ended (see
    ///   ``Link``), and `CancellationError` if the task is canceled.
    public func readPHY() async throws -> LinkPHY {
        guard case .phy(let phy) = try await host.request(.readPHY, of: identifier)
        else { throw HostError.malformedAnswer }
        return phy
    }

    /// Reads the version and the manufacturer of the peer's controller (Vol 4, Part E, 7.1.23).
    ///
    /// - Returns: The version, the company identifier and the revision number.
    /// - Throws: ``HostError/unsupported(_:)`` if the controller lacks the command,
    ///   ``HostError/controller(_:)`` if the controller refuses or gets no answer,
    ///   ``HostError/busy`` if another call is in progress on the link, ``HostError/timedOut`` if
    ///   there is no result after 40 seconds, ``HostError/commandTimedOut``,
    ///   ``HostError/tooManyRequests`` if a queue is full, the reason why the link ended (see
    ///   ``Link``), and `CancellationError` if the task is canceled.
    public func readRemoteVersion() async throws -> RemoteVersion {
        guard
            case .version(let version) = try await host.request(
                .readRemoteVersion,
                of: identifier
            )
        else { throw HostError.malformedAnswer }
        return version
    }

    /// Disconnects from the peer.
    ///
    /// Returns when the link has ended, or at once if it has ended already. If the controller does
    /// not report the end, the link counts as ended after 40 seconds. After a pairing, the host
    /// first waits until the peer has received the host's keys, for at most two seconds. If the
    /// task is canceled, even before the call, the host disconnects but the call does not wait.
    ///
    /// - Throws: ``HostError/controller(_:)`` or ``HostError/commandTimedOut`` if the controller
    ///   does not perform the disconnection, in which case the application can repeat the call;
    ///   ``HostError/adapter(_:)`` or ``HostError/tooManyRequests`` if the host cannot send the
    ///   command; ``HostError/closed`` if the host was shut down before the call; and
    ///   `CancellationError` if the task is canceled.
    public func disconnect() async throws {
        do {
            _ = try await host.request(.disconnect, of: identifier)
        } catch HostError.disconnected {}
    }

    /// Waits until the link has ended, and returns the reason. Returns at once if it has ended
    /// already.
    ///
    /// - Returns: The reason why the link ended. For a link whose end the host has forgotten, it is
    ///   ``HostError/disconnected(_:)`` with `unknownConnectionIdentifier`: the host remembers the
    ///   ends of the last 64 links.
    /// - Throws: `CancellationError` if the task is canceled, and no other error.
    public func ended() async throws -> HostError {
        try await host.end(of: identifier)
    }
}
