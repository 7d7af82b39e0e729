// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

/// The open questions to the pairing delegate, at most one for each link, with their tasks. An
/// answer counts only while its question is open.
struct PairingQuestions {
    /// The maximum number of a peer's keypresses that wait for a busy delegate. A further keypress
    /// displaces the oldest.
    static let keypressLimit = 32

    private struct Question {
        let id: PairingRequest.ID
        /// The pairing that asks; `nil` for a question about a lost bond.
        let pairing: PairingRequest?
        /// Whether the question is answered. The peer may report keypresses afterward.
        var isAnswered = false
        var tasks: [Task<Void, Never>] = []
        var presses: AsyncStream<Pairing.Keypress>.Continuation?
    }

    private var questions: [LinkIdentifier: Question] = [:]
    private var lastNumber: UInt64 = 0

    /// Returns the identifier of a new question.
    mutating func makeID() -> PairingRequest.ID {
        lastNumber += 1
        return PairingRequest.ID(number: lastNumber)
    }

    /// Opens a question about a link. An earlier question of the link ends.
    mutating func open(
        _ id: PairingRequest.ID,
        on link: LinkIdentifier,
        of pairing: PairingRequest? = nil
    ) {
        withdraw(link)
        questions[link] = Question(id: id, pairing: pairing)
    }

    /// Returns whether this question is open.
    func isOpen(_ id: PairingRequest.ID, on link: LinkIdentifier) -> Bool {
        questions[link]?.id == id && questions[link]?.isAnswered == false
    }

    /// Marks a question as answered. Returns `false` if it was not open.
    mutating func close(_ id: PairingRequest.ID, on link: LinkIdentifier) -> Bool {
        guard isOpen(id, on: link) else { return false }
        questions[link]?.isAnswered = true
        return true
    }

    /// Adds a task, which is canceled when the question ends.
    mutating func add(_ task: Task<Void, Never>, on link: LinkIdentifier) {
        questions[link]?.tasks.append(task)
    }

    /// Opens a stream of the peer's keypresses; `nil` if the question has one already, or if no
    /// question of a pairing is open.
    mutating func openPresses(
        on link: LinkIdentifier
    ) -> (PairingRequest, AsyncStream<Pairing.Keypress>)? {
        guard let pairing = questions[link]?.pairing, questions[link]?.presses == nil else {
            return nil
        }
        let (stream, presses) = AsyncStream.makeStream(
            of: Pairing.Keypress.self,
            bufferingPolicy: .bufferingNewest(Self.keypressLimit)
        )
        questions[link]?.presses = presses
        return (pairing, stream)
    }

    func press(_ keypress: Pairing.Keypress, on link: LinkIdentifier) {
        questions[link]?.presses?.yield(keypress)
    }

    mutating func withdraw(_ link: LinkIdentifier) {
        guard let question = questions.removeValue(forKey: link) else { return }
        question.presses?.finish()
        for task in question.tasks { task.cancel() }
    }

    mutating func withdrawAll() {
        for link in questions.keys { withdraw(link) }
    }
}
