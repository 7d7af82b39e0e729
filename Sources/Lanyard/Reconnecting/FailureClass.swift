// SPDX-License-Identifier: Apache-2.0

/// What can be done about a failure.
public enum FailureClass: Hashable, Sendable {
    /// It may be different in a moment.
    case transient
    /// It is different as soon as another link has ended.
    case capacity
    /// It stays so until somebody does something about it.
    case terminal
}

extension LinkFailure {
    /// What can be done about it.
    public var failureClass: FailureClass {
        switch kind {
        case .capacity: .capacity
        case .unpaired, .tooManyBonds, .unsupported, .incomplete: .terminal
        case .linkLoss, .remoteClosed, .ownCancel, .encryptionFailed, .attemptFailed, .timeout,
            .notPaired, .refused, .unknown:
            .transient
        }
    }

    /// Whether few such failures are enough, because each of them took long, or because nothing says
    /// that the next attempt will do better. Those of the radio are told at once, and pass.
    var isHard: Bool {
        switch kind {
        case .linkLoss, .remoteClosed, .ownCancel, .attemptFailed: false
        default: true
        }
    }
}
