// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension FaultPlan: CustomStringConvertible {
    /// All faults in one line; "no faults" if there are none.
    public var description: String {
        let parts = [
            loss == .none ? nil : "loss (\(loss))",
            toController == .none ? nil : "to controller \(toController)",
            toHost == .none ? nil : "to host \(toHost)",
            events == .none ? nil : "events (\(events))",
            hang.map { "hangs \($0)" },
            restart.map { "restarts at \($0)" },
            hardwareError.map { "hardware error \($0.code) at \($0.instant)" },
        ]
        let present = parts.compactMap(\.self)
        return present.isEmpty ? "no faults" : present.joined(separator: ", ")
    }
}

extension WireLatency: CustomStringConvertible {
    /// The fixed latency, and the jitter if there is any.
    public var description: String {
        jitter == .zero ? "+\(fixed)" : "+\(fixed) to +\(fixed + jitter)"
    }
}

extension EventFaults: CustomStringConvertible {
    /// The probabilities that are not 0.
    public var description: String {
        let parts = [
            dropProbability == 0 ? nil : "drop \(dropProbability)",
            duplicateProbability == 0 ? nil : "duplicate \(duplicateProbability)",
            delayProbability == 0 ? nil : "delay \(delayProbability) by \(delay)",
            corruptProbability == 0
                ? nil : "corrupt \(corruptProbability) in \(corruptBitCount) bits",
        ]
        let present = parts.compactMap(\.self)
        return present.isEmpty ? "none" : present.joined(separator: ", ")
    }
}

extension Hang: CustomStringConvertible {
    /// The trigger, and whether the radio continues.
    public var description: String {
        let when =
            switch trigger {
            case .at(let instant): "at \(instant)"
            case .afterCommands(let count): "after \(count) commands"
            }
        return radioGoesOn ? when + " while the radio goes on" : when
    }
}

extension LossPlan: CustomStringConvertible {
    /// The constant loss, and the bursts if there are any.
    public var description: String {
        guard let burstLoss else { return "\(constantLoss)" }
        return "\(constantLoss), bursts \(burstLoss)"
    }
}

extension BurstLoss: CustomStringConvertible {
    /// The four probabilities.
    public var description: String {
        "start \(startProbability), end \(endProbability), lost \(lossWhenGood)/\(lossWhenBad)"
    }
}
