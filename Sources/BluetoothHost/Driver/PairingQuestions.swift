// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP

/// What pairings have asked the application and nobody has answered: one question of a link at a time,
/// with the tasks that have been given to it.
struct PairingQuestions {
    /// How many keypresses of a peer wait for a delegate that is busy; one more displaces the oldest.
    static let keypressLimit = 32

    private struct Question {
        let number: UInt64
        /// Nil if it is about a bond.
        let pairing: PairingRequest?
        var tasks: [Task<Void, Never>] = []
        var presses: AsyncStream<Pairing.Keypress>.Continuation?
    }

    private var questions: [LinkIdentifier: Question] = [:]
    private var lastNumber: UInt64 = 0

    /// A link has a question, instead of the one before. Returns the number of the new one.
    mutating func begin(on link: LinkIdentifier, of pairing: PairingRequest? = nil) -> UInt64 {
        withdraw(link)
        lastNumber += 1
        questions[link] = Question(number: lastNumber, pairing: pairing)
        return lastNumber
    }

    /// Whether somebody waits for the answer to this question.
    func isOpen(_ number: UInt64, on link: LinkIdentifier) -> Bool {
        questions[link]?.number == number
    }

    /// A task that is cancelled with the question.
    mutating func add(_ task: Task<Void, Never>, on link: LinkIdentifier) {
        questions[link]?.tasks.append(task)
    }

    /// What the peer does while the question is open; nil if there is a stream of that already, or no
    /// question.
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
