// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Synchronization
import Testing

import struct BluetoothHost.Link

@testable import BluetoothHost

/// The times at which a host asks for consent to Just Works, and the reported ends of pairings.
@Suite("Consent to pairings, and their ends, in virtual time")
struct ConsentTests {
    /// A user who answers requests for consent as the test requires.
    private final class User: PairingDelegate {
        struct State {
            var questions: [PairingRequest] = []
            var ends: [(link: Link, result: Result<LinkSecurity, any Error>)] = []
            var answer: Bool?
        }

        let state = Mutex(State())
        private let harness: HostPairingHarness

        init(_ harness: HostPairingHarness, answers answer: Bool? = true) {
            self.harness = harness
            state.withLock { $0.answer = answer }
        }

        var questionCount: Int { state.withLock { $0.questions.count } }

        var ends: [Result<LinkSecurity, any Error>] { state.withLock { $0.ends.map(\.result) } }

        /// Answers the open question and those that follow.
        func answer(_ answer: Bool) { state.withLock { $0.answer = answer } }

        func consents(to pairing: PairingRequest) async -> Bool {
            state.withLock { $0.questions.append(pairing) }
            while !Task.isCancelled {
                if let answer = state.withLock({ $0.answer }) { return answer }
                try? await harness.air.sleep(for: .milliseconds(50))
            }
            return false
        }

        func pairingEnded(on link: Link, with result: Result<LinkSecurity, any Error>) async {
            state.withLock { $0.ends.append((link, result)) }
        }
    }

    /// Runs a body with the two users and the hosts' first link.
    private func run(
        strap: Pairing.Consent,
        phone: Pairing.Consent,
        answers: (strap: Bool?, phone: Bool?) = (true, true),
        _ body: @escaping @Sendable (HostPairingHarness, User, User, Session) async throws -> Void
    ) async throws {
        let harness = try HostPairingHarness()
        let strapUser = User(harness, answers: answers.strap)
        let phoneUser = User(harness, answers: answers.phone)
        let strapSide = HostPairingHarness.Side(.noInputNoOutput) {
            $0.pairingDelegate = strapUser
            $0.pairing.consent = strap
        }
        let phoneSide = HostPairingHarness.Side(.noInputNoOutput) {
            $0.pairingDelegate = phoneUser
            $0.pairing.consent = phone
        }
        try await harness.run(strap: strapSide, phone: phoneSide) { session in
            try await body(harness, strapUser, phoneUser, session)
        }
    }

    @Test(
        "Both users are asked for consent at the same time if their hosts always ask",
        arguments: [true, false]
    )
    func atTheSameTime(_ isBegunByCentral: Bool) async throws {
        try await run(strap: .always, phone: .always, answers: (nil, nil)) {
            harness,
            strap,
            phone,
            session in
            let link = isBegunByCentral ? session.toStrap : session.toPhone
            let pairing = harness.task { try await link.pair() }
            try await harness.settle()
            #expect(strap.questionCount == 1 && phone.questionCount == 1)
            #expect(try await !link.security.isEncrypted)
            strap.answer(true)
            try await harness.settle()
            #expect(try await !link.security.isEncrypted, "the phone's user has not answered")
            phone.answer(true)
            #expect(try await pairing.value.isBonded)
        }
    }

    @Test("By default, only the peer's user is asked if the application requested the pairing")
    func byDefault() async throws {
        try await run(strap: .forPeers, phone: .forPeers) { harness, strap, phone, session in
            _ = try await session.toStrap.pair()
            #expect(strap.questionCount == 1 && phone.questionCount == 0)
        }
    }

    @Test("By default, the peer's user is asked only after this host's user has consented")
    func oneAfterTheOther() async throws {
        try await run(strap: .forPeers, phone: .always, answers: (nil, true)) {
            harness,
            strap,
            phone,
            session in
            let pairing = harness.task { try await session.toStrap.pair() }
            try await harness.settle()
            #expect(strap.questionCount == 1 && phone.questionCount == 0)
            strap.answer(true)
            #expect(try await pairing.value.isBonded)
            #expect(phone.questionCount == 1)
        }
    }

    @Test("A user declines a pairing that the application requested")
    func declined() async throws {
        try await run(strap: .always, phone: .always, answers: (true, false)) {
            harness,
            strap,
            phone,
            session in
            await #expect(throws: Pairing.Failure.declined) { try await session.toStrap.pair() }
            try await harness.settle()
            #expect(await session.phone.bonds.isEmpty)
            #expect(await session.strap.bonds.isEmpty)
            let refusal = Pairing.Failure.refusedByPeer(.pairingNotSupported)
            #expect(strap.ends.map(Self.failure) == [refusal])
            #expect(phone.ends.map(Self.failure) == [.declined])
        }
    }

    @Test("Both delegates are informed of the security of a link whose pairing succeeded")
    func success() async throws {
        try await run(strap: .forPeers, phone: .forPeers) { harness, strap, phone, session in
            let security = try await session.toStrap.pair()
            try await harness.settle()
            for user in [strap, phone] {
                #expect(try user.ends.map { try $0.get() } == [security])
            }
            #expect(strap.state.withLock { $0.ends.map(\.link) } == [session.toPhone])
        }
    }

    @Test("A delegate is informed that a pairing ended because its link ended")
    func linkEnded() async throws {
        try await run(strap: .forPeers, phone: .forPeers, answers: (nil, true)) {
            harness,
            strap,
            phone,
            session in
            let pairing = harness.task { try await session.toStrap.pair() }
            try await harness.settle()
            #expect(strap.questionCount == 1)
            try await session.toPhone.disconnect()
            _ = await pairing.result
            try await harness.settle()
            #expect(strap.ends.map(Self.failure) == [.linkEnded])
            #expect(phone.ends.map(Self.failure) == [.linkEnded])
        }
    }

    private static func failure(_ result: Result<LinkSecurity, any Error>) -> Pairing.Failure? {
        guard case .failure(let error) = result else { return nil }
        return error as? Pairing.Failure
    }
}
