// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothPort
import HCITransports

/// A channel of the host, as a channel of the port.
struct HostChannel: PortChannel {
    let host: BluetoothHost
    let link: LinkIdentifier
    let number: ChannelNumber
    let psm: L2CAP.SPSM
    let sendMTU: Int
    let receiveMTU: Int

    /// Creates the channel with a number; `nil` if it has ended.
    init?(_ number: ChannelNumber, of host: isolated BluetoothHost) {
        guard let (link, _) = host.link(of: number), let description = host.description(of: number)
        else { return nil }
        self.host = host
        self.link = link
        self.number = number
        psm = description.spsm
        sendMTU = description.sendMTU
        receiveMTU = description.receiveMTU
    }

    func execute(_ body: @escaping @Sendable (any ChannelOperations) -> Void) {
        host.execute { _ in body(Operations(channel: self)) }
    }

    func beginOutsideWork() { host.executor.beginOutsideWork() }
    func endOutsideWork() { host.executor.endOutsideWork() }

    /// The operations of the channel on the host's executor.
    private struct Operations: ChannelOperations {
        let channel: HostChannel

        func receive(then: @escaping @Sendable (Result<[UInt8]?, ChannelEnd>) -> Void) {
            begin(.receive(channel.number)) { result in
                switch result {
                case .success(.sdu(let sdu)): then(.success(sdu))
                case .success: then(.success(nil))
                case .failure(let error): then(.failure(ChannelEnd(error)))
                }
            }
        }

        func send(
            _ sdu: [UInt8],
            then: @escaping @Sendable (Result<Void, ChannelEnd>) -> Void
        ) {
            begin(.send(sdu, channel.number)) { result in
                then(result.map { _ in }.mapError { ChannelEnd($0) })
            }
        }

        func close() {
            // `awaitEnd` reports the end.
            begin(.close(channel.number)) { _ in }
        }

        func awaitEnd(then: @escaping @Sendable (ChannelEnd) -> Void) {
            begin(.awaitEnd(channel.number)) { result in
                guard case .success(.end(let end)) = result else { return then(.closedHere) }
                then(ChannelEnd(end))
            }
        }

        private func begin(_ request: ChannelRequest, then: @escaping BluetoothHost.Completion) {
            let link = channel.link
            channel.host.assumeIsolated { _ = $0.begin(request, on: link, then: then) }
        }
    }
}

extension ChannelEnd {
    fileprivate init(_ end: L2CAPChannel.End) {
        self =
            switch end {
            case .closed: .closedHere
            case .closedByPeer: .closedByPeer
            case .violated: .failed(.other("the peer violated the protocol"))
            case .linkEnded(let error): .failed(PortError(error))
            }
    }

    fileprivate init(_ error: any Error) {
        self =
            switch error {
            case L2CAP.Failure.closedByPeer: .closedByPeer
            case L2CAP.Failure.closed: .closedHere
            case let error as HostError: .failed(PortError(error))
            default: .failed(.other("\(error)"))
            }
    }
}
