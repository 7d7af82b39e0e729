// SPDX-License-Identifier: Apache-2.0

/// A step that may make an accessory usable again if it refuses all messages. Each step costs more
/// than the one before.
enum Renewal: Hashable, Sendable, CaseIterable {
    /// The subscription to the messages of the accessory is ended and begun again.
    case subscription
    /// The services are discovered again.
    case discovery
    /// The link is ended and made again.
    case link
}

/// The rules for renewing the subscription, the services or the link of an accessory that is ready
/// but refuses all messages.
///
/// An accessory may have lost a subscription, have a different database than the discovered one, or
/// have lost its keys, while the link is up and this device detects no problem. The link does not
/// end by itself in this case. Without a renewal, the accessory would continue to refuse every
/// message.
///
/// The steps follow one another, each after `refusalLimit` refusals in a row. After the last step,
/// the next round begins after `pause` at the earliest. An accepted message resets the plan.
struct RenewalPlan: Equatable, Sendable {
    /// The number of refused messages in a row before a step.
    static let refusalLimit = 3
    /// The minimum time between the last step of a round and the next round.
    static let pause = Duration.seconds(300)

    private var refusals = 0
    private var steps = Renewal.allCases[...]
    private var lastStep = Duration.zero

    /// Counts a refused message. Returns the step to take, or `nil` if none is due.
    mutating func refused(now: Duration) -> Renewal? {
        refusals = min(refusals + 1, Self.refusalLimit)
        guard refusals == Self.refusalLimit else { return nil }
        if steps.isEmpty, now - lastStep >= Self.pause { steps = Renewal.allCases[...] }
        guard let step = steps.popFirst() else { return nil }
        (refusals, lastStep) = (0, now)
        return step
    }
}

extension LinkFailure {
    /// Creates the failure from the refusal of a message, if all other messages are also likely to
    /// be refused; `nil` if the refusal may concern this message only.
    ///
    /// Application errors (Vol 3, Part F, 3.4.1.1) and errors about a value concern a
    /// single message.
    init?(refusalOfAllMessages error: AccessoryError) {
        guard case .refused(let code?, let text) = error, Self.refusesAll.contains(code) else {
            return nil
        }
        self.init(
            Self.needsPairing.contains(code) ? .notPaired : .refused,
            code: .attribute(code),
            text
        )
    }

    /// Insufficient Authentication, Authorization, Encryption Key Size and Encryption.
    private static let needsPairing: Set<Int> = [0x05, 0x08, 0x0C, 0x0F]

    /// Invalid Handle, Write Not Permitted, Attribute Not Found, Unlikely Error and Database Out Of
    /// Sync.
    private static let refusesAll = needsPairing.union([0x01, 0x03, 0x0A, 0x0E, 0x12])
}
