// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes

// The peer as a client of the host's server. The methods here only queue data. The caller sends it
// with `pump`.
extension LinkCore {
    /// Opens the server's bearer of the link.
    mutating func openServer(_ context: inout LinkContext) {
        serving.mtu = bearer.att.mtu
        context.server.open(identifier.fixedBearer, security: security, mtu: bearer.att.mtu)
        useSigningKey(&context)
        recallClient(&context)
    }

    /// Passes a changed MTU to the server.
    mutating func noteMTU(_ context: inout LinkContext) {
        let mtu = bearer.att.mtu
        guard serving.mtu != mtu else { return }
        serving.mtu = mtu
        context.server.mtuChanged(identifier.fixedBearer, mtu)
        if serving.isAnnounced { context.emit(.event(.mtuChanged(identifier, mtu))) }
    }

    /// Performs the server's actions. Actions for the client of another link go to the host.
    mutating func perform(
        _ actions: some Collection<GATTServer.Action>,
        _ context: inout LinkContext
    ) {
        for action in actions {
            if action.client == identifier.client {
                perform(action, &context)
            } else {
                context.post(.served(action), of: action.client.link)
            }
        }
    }

    mutating func perform(_ action: GATTServer.Action, _ context: inout LinkContext) {
        switch action {
        case .respond(let source, let answer): respond(answer, on: source)
        case .ask(let request, let question):
            context.emit(.event(.served(identifier, .asked(request, question))))
        case .report(_, .written(let entries)):
            context.emit(.event(.served(identifier, .written(entries))))
        case .report(_, .subscribed(let value, let kind)):
            context.emit(.event(.served(identifier, .subscribed(value, kind))))
        case .indicate(_, let indication): indicate(indication, &context)
        case .remember(_, let record): remember(record, &context)
        case .violated(_, let text):
            let prefix = "link \(identifier.rawValue): the client violated the protocol"
            context.emit(.log("\(prefix): \(text)"))
        }
    }

    /// Answers a request on the bearer on which it arrived.
    private mutating func respond(_ answer: ATT.PDU, on source: GATTServer.BearerID) {
        if source.channel == bearer.channel.rawValue { return bearer.att.respond(answer) }
        guard let place = enhanced.index(of: .init(rawValue: source.channel)) else { return }
        enhanced[place].att.respond(answer)
    }

    /// Passes to the server the key that verifies the peer's signatures, if there is one.
    func useSigningKey(_ context: inout LinkContext) {
        let isBonded = bond.map { !context.isRemoved($0) } ?? false
        let key = isBonded ? bond?.signingKey : nil
        let record = key == nil ? nil : context.clientRecords[identity]
        context.server.setSigningKey(key, of: identifier.client, storedRecord: record)
    }
}

extension LinkIdentifier {
    /// The link's peer as a client of the server.
    var client: GATTServer.ClientID { .init(rawValue: rawValue) }

    /// The bearer that every link has.
    var fixedBearer: GATTServer.BearerID { bearer(.att) }

    /// Returns the bearer on a channel of the link.
    func bearer(_ channel: ChannelIdentifier) -> GATTServer.BearerID {
        .init(client: client, channel: channel.rawValue)
    }
}

extension GATTServer.ClientID {
    /// The link of the client.
    var link: LinkIdentifier { LinkIdentifier(rawValue: rawValue) }
}

extension GATTServer.Action {
    /// The client that the action concerns.
    var client: GATTServer.ClientID {
        switch self {
        case .respond(let bearer, _), .indicate(let bearer, _): bearer.client
        case .ask(_, .read(let client, _, _)), .ask(_, .write(let client, _, _)): client
        case .report(let client, _), .remember(let client, _), .violated(let client, _): client
        }
    }
}
