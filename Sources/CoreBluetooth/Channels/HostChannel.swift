// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothL2CAP

/// A channel of the host, as the engine of streams.
struct HostChannel: ChannelEngine {
    let host: BluetoothHost
    let link: LinkIdentifier
    let number: ChannelNumber

    func enter(_ turn: @escaping @Sendable (any ChannelPort) -> Void) {
        host.enter { _ in turn(HostChannelPort(channel: self)) }
    }

    func beginOutsideWork() { host.executor.beginOutsideWork() }
    func endOutsideWork() { host.executor.endOutsideWork() }
}

/// A channel of the host during a turn on the adapter's thread.
private struct HostChannelPort: ChannelPort {
    let channel: HostChannel

    func receive(then: @escaping @Sendable (Result<[UInt8]?, ChannelFailure>) -> Void) {
        begin(.receive(channel.number)) { result in
            switch result {
            case .success(.sdu(let sdu)): then(.success(sdu))
            case .success: then(.success(nil))
            case .failure(let error): then(.failure(ChannelFailure(error)))
            }
        }
    }

    func send(_ sdu: [UInt8], then: @escaping @Sendable (Result<Void, ChannelFailure>) -> Void) {
        begin(.send(sdu, channel.number)) { result in
            then(result.map { _ in }.mapError { ChannelFailure($0) })
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

extension ChannelEnd {
    init(_ end: L2CAPChannel.End) {
        self =
            switch end {
            case .closed: .closedHere
            case .closedByPeer: .closedByPeer
            case .violated: .failed(.unknown)
            case .linkEnded(let error): .failed(CBError(error).code)
            }
    }
}

extension ChannelFailure {
    init(_ error: any Error) {
        switch error {
        case L2CAP.Failure.closedByPeer: end = .closedByPeer
        case L2CAP.Failure.closed: end = .closedHere
        case let error as HostError: end = .failed(CBError(error).code)
        default: end = .failed(.unknown)
        }
    }
}
