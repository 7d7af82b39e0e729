// SPDX-License-Identifier: Apache-2.0

/// The class of a failure, which decides the next step.
public enum FailureClass: Hashable, Sendable {
    /// Another attempt may succeed soon.
    case transient
    /// Another attempt may succeed as soon as another link has ended.
    case capacity
    /// Another attempt cannot succeed until a person or a program intervenes.
    case terminal
}

extension LinkFailure {
    /// The class of the failure.
    public var failureClass: FailureClass {
        switch kind {
        case .capacity: .capacity
        case .unpaired, .tooManyBonds, .unsupported, .incomplete: .terminal
        case .linkLoss, .remoteClosed, .ownCancel, .encryptionFailed, .attemptFailed, .timeout,
            .notPaired, .refused, .unknown:
            .transient
        }
    }

    /// Whether a burst of attempts (``ReconnectPlan``) ends after only a few failures of this kind.
    /// Either each of them takes long, or another attempt is not likely to succeed.
    var isHard: Bool {
        switch kind {
        case .linkLoss, .remoteClosed, .ownCancel, .attemptFailed: false
        default: true
        }
    }
}
