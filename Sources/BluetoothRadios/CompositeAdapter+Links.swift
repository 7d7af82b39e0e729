// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import HCITransports

// Links: each request goes to the port of the link.
extension CompositeAdapter {
    /// Returns the port of a link and the identifier that the port uses; `nil` if the link is not
    /// open.
    private func route(
        to link: LinkIdentifier
    ) -> (port: any BluetoothPort, inner: LinkIdentifier)? {
        state.withLock { $0.identities[link] }.map { (radios[$0.radio].port, $0.inner) }
    }

    package func begin(
        _ request: PortRequest,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<PortAnswer>
    ) {
        guard let route = route(to: link) else { return refuse(completion) }
        route.port.begin(request, on: route.inner, then: completion)
    }

    package func knownDatabase(of link: LinkIdentifier) -> GATT.Database? {
        route(to: link).flatMap { $0.port.knownDatabase(of: $0.inner) }
    }

    package func notify(
        _ value: GATT.AttributeValue,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<Void>
    ) {
        guard let route = route(to: link) else { return refuse(completion) }
        route.port.notify(value, on: route.inner, then: completion)
    }

    package func openChannel(
        _ psm: L2CAP.SPSM,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<any PortChannel>
    ) {
        guard let route = route(to: link) else { return refuse(completion) }
        route.port.openChannel(psm, on: route.inner) { result in
            completion(result.map { CompositeChannel(inner: $0, link: link) })
        }
    }

    private func refuse<Value>(_ completion: @escaping PortCompletion<Value>) {
        executor.perform { completion(.failure(PortError.linkEnded(.unknown))) }
    }
}

/// A channel of a port, with the identifier of the link of the composite adapter.
struct CompositeChannel: PortChannel {
    let inner: any PortChannel
    let link: LinkIdentifier

    var psm: L2CAP.SPSM { inner.psm }
    var sendMTU: Int { inner.sendMTU }
    var receiveMTU: Int { inner.receiveMTU }

    func execute(_ body: @escaping @Sendable (any ChannelOperations) -> Void) {
        inner.execute(body)
    }
    func beginOutsideWork() { inner.beginOutsideWork() }
    func endOutsideWork() { inner.endOutsideWork() }
}

// Published services and listeners are on all radios. All hosts return the same attribute handles
// and PSMs, because they get the same calls in the same order.
extension CompositeAdapter {
    package func publish(_ definition: GATT.ServiceDefinition) throws -> GATT.DiscoveredService {
        try onAll({ try $0.publish(definition) }, undo: { try? $0.unpublish($1) })
    }

    package func unpublish(_ service: GATT.DiscoveredService) throws {
        for radio in radios { try radio.port.unpublish(service) }
    }

    package func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle?
    ) {
        let (radio, inner) = RequestNumber.split(request)
        guard radios.indices.contains(radio) else { return }
        radios[radio].port.answer(inner, result, at: handle)
    }

    package func listen(
        requiresEncryption: Bool,
        accepted: @escaping @Sendable (any PortChannel) -> Void
    ) throws -> L2CAP.SPSM {
        var index = 0
        return try onAll(
            { port in
                let radio = index
                index += 1
                return try port.listen(requiresEncryption: requiresEncryption) { [weak self] in
                    guard let link = self?.identifier(of: $0.link, on: radio) else { return }
                    accepted(CompositeChannel(inner: $0, link: link))
                }
            },
            undo: { $0.stopListening($1) }
        )
    }

    package func stopListening(_ psm: L2CAP.SPSM) {
        for radio in radios { radio.port.stopListening(psm) }
    }

    /// Performs the same call on each port. If a call fails, or the results are not equal, undoes
    /// the calls that succeeded.
    private func onAll<Value: Equatable>(
        _ body: (any BluetoothPort) throws -> Value,
        undo: (any BluetoothPort, Value) -> Void
    ) throws -> Value {
        var done: [(port: any BluetoothPort, value: Value)] = []
        do {
            for radio in radios {
                done.append((radio.port, try body(radio.port)))
                guard done.last?.value == done.first?.value else {
                    throw PortError.other("the radios have different tables")
                }
            }
        } catch {
            for (port, value) in done { undo(port, value) }
            throw error
        }
        guard let value = done.first?.value else { throw PortError.unavailable }
        return value
    }
}

// Advertising: each set is on all radios.
extension CompositeAdapter {
    package func advertise(
        _ advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) -> RequestIdentifier {
        let id = takeRequest()
        let answers = Answers(radios.count, completion)
        state.withLock { $0.sets[id] = Group() }
        for (index, radio) in radios.enumerated() {
            let member = radio.port.advertise(advertising) { answers.add($0) }
            state.withLock { $0.sets[id]?.members[index] = member }
        }
        return id
    }

    package func update(
        _ set: RequestIdentifier,
        to advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) {
        let members = state.withLock { $0.sets[set]?.members ?? [:] }
        guard !members.isEmpty else {
            return executor.perform { completion(.failure(PortError.refused(.unknown))) }
        }
        let answers = Answers(members.count, completion)
        for (radio, member) in members {
            radios[radio].port.update(member, to: advertising) { answers.add($0) }
        }
    }

    package func endAdvertising(_ set: RequestIdentifier) {
        let members = state.withLock { $0.sets[set]?.members ?? [:] }
        for (radio, member) in members { radios[radio].port.endAdvertising(member) }
    }

    /// Handles the end of an advertising set on a radio. The composite adapter's set ends when it
    /// has ended on all radios.
    func advertisingEnded(_ member: RequestIdentifier, on radio: Int) {
        let ended = state.withLock { state -> RequestIdentifier? in
            let found = state.sets.first { $0.value.members[radio] == member }
            guard let id = found?.key else { return nil }
            state.sets[id]?.members[radio] = nil
            guard state.sets[id]?.members.isEmpty == true else { return nil }
            state.sets[id] = nil
            return id
        }
        if let ended { tell(.advertisingEnded(ended)) }
    }

    /// The combination of the radios' results for an advertising set into one result: success as
    /// soon as one radio has succeeded, or the last failure if all radios fail.
    private final class Answers: Sendable {
        private struct State {
            var missing: Int
            var hasSucceeded = false
        }

        private let state: Lock<State>
        private let completion: PortCompletion<Void>

        init(_ count: Int, _ completion: @escaping PortCompletion<Void>) {
            state = Lock(State(missing: count))
            self.completion = completion
        }

        func add(_ result: Result<Void, any Error>) {
            let isDue = state.withLock { state in
                state.missing -= 1
                guard !state.hasSucceeded else { return false }
                if case .success = result { state.hasSucceeded = true }
                return state.hasSucceeded || state.missing == 0
            }
            if isDue { completion(result) }
        }
    }
}
