// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes

// The operations behind channels and listeners.
extension BluetoothHost {
    nonisolated func request(
        _ request: ChannelRequest,
        of link: LinkIdentifier
    ) async throws -> HostAnswer {
        try Task.checkCancellation()
        return try await perform(isAlwaysTaken: request.isAlwaysTaken, on: link) { core, id, now in
            core.request(request, of: link, id: id, now: now)
        } onCancel: { core, id, now in
            core.cancel(request, id, of: link, now: now)
        }
    }

    func properties(of channel: L2CAPChannel) async throws -> L2CAPChannel.Properties {
        guard let description = core.description(of: channel.number) else {
            throw try await channel.ended().error
        }
        return L2CAPChannel.Properties(
            psm: description.spsm,
            mode: description.mode,
            sendMTU: description.sendMTU,
            receiveMTU: description.receiveMTU,
            sendCredits: description.sendCredits,
            receiveCredits: description.receiveCredits
        )
    }

    /// Closes a channel. A canceled task closes it too, but does not wait.
    func close(_ channel: L2CAPChannel) async {
        let (request, link) = (ChannelRequest.close(channel.number), channel.link.identifier)
        _ = try? await perform(isAlwaysTaken: true) { core, id, now in
            core.request(request, of: link, id: id, now: now)
        } onCancel: { core, id, now in
            core.cancel(request, id, of: link, now: now)
        }
    }

    func acceptChannel(_ key: ListenerKey) async throws -> L2CAPChannel? {
        try Task.checkCancellation()
        let answer = try await perform(isAlwaysTaken: true) { core, id, _ in
            core.accept(key, id: id)
        } onCancel: { core, id, _ in
            core.cancelAccepting(key, id)
        }
        guard case .channels(let numbers) = answer else { throw HostError.malformedAnswer }
        guard let number = numbers.first else { return nil }
        guard let (link, peer) = core.link(of: number) else { return try await acceptChannel(key) }
        return L2CAPChannel(
            link: Link(host: self, identifier: link, address: peer),
            number: number
        )
    }

    func stopListening(_ key: ListenerKey) {
        core.stopListening(key, now: executor.now)
        drain()
    }
}
