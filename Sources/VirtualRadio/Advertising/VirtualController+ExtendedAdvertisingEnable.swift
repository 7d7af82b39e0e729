// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// LE Set Extended Advertising Enable (Vol 4, Part E, 7.8.56).
extension VirtualController {
    /// Disables the named sets, or all sets if none is named. Enables all named sets, or none if
    /// one of them cannot be enabled.
    mutating func setExtendedAdvertising(
        _ command: HCI.LESetExtendedAdvertisingEnable,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        let indices = try advertiser.indices(of: command.sets)
        guard command.isEnabled else {
            let stopped = indices.isEmpty ? Array(advertiser.sets.indices) : indices
            for index in stopped { stopAdvertising(index, &ether) }
            return
        }
        guard !indices.isEmpty else { throw .invalidCommandParameters }
        var runs: [AdvertisingRun] = []
        for (index, plan) in zip(indices, command.sets) {
            runs.append(try run(of: advertiser.sets[index], plan, ether))
        }
        for (position, index) in indices.enumerated() {
            let duration = command.sets[position].duration
            stopAdvertising(index, &ether)
            startAdvertising(
                index,
                runs[position],
                lasting: duration.rawValue == 0 ? nil : duration.duration,
                &ether
            )
        }
    }

    /// Returns the run with which the command enables the set.
    ///
    /// - Throws: An error code if the set cannot be enabled with this plan.
    private func run(
        of set: VirtualAdvertisingSet,
        _ plan: HCI.AdvertisingSetRun,
        _ ether: Ether
    ) throws(HCI.ErrorCode) -> AdvertisingRun {
        try set.checkIsComplete(plan)
        try checkLinkLimit(for: set.configuration, ether)
        guard let addresses = addresses(for: set) else { throw .invalidCommandParameters }
        return AdvertisingRun(
            interval: try set.interval().nanoseconds,
            eventLimit: plan.eventLimit,
            addresses: addresses
        )
    }
}

extension VirtualAdvertiser {
    /// Returns the indices of the named sets.
    ///
    /// - Throws: `unknownAdvertisingIdentifier` if a set does not exist, `invalidCommandParameters`
    ///   if it is named twice.
    fileprivate func indices(
        of runs: [HCI.AdvertisingSetRun]
    ) throws(HCI.ErrorCode) -> [Int] {
        var indices: [Int] = []
        for run in runs {
            let index = try requireIndex(of: run.advertisingHandle)
            guard !indices.contains(index) else { throw .invalidCommandParameters }
            indices.append(index)
        }
        return indices
    }
}

extension VirtualAdvertisingSet {
    /// Checks that the set's data is complete and the plan is valid.
    ///
    /// - Throws: `commandDisallowed` or `invalidCommandParameters` if they are not.
    fileprivate func checkIsComplete(_ plan: HCI.AdvertisingSetRun) throws(HCI.ErrorCode) {
        if configuration.isHighDutyCycle {
            guard plan.duration.rawValue > 0,
                plan.duration.duration <= AdvertisingTiming.highDutyLimit
            else { throw .invalidCommandParameters }
        }
        guard !data.isPartial, !response.isPartial else { throw .commandDisallowed }
        guard !configuration.isLegacy else { return }
        guard !configuration.isScannable || !response.bytes.isEmpty else {
            throw .commandDisallowed
        }
        guard !configuration.isConnectable || data.bytes.count <= configuration.dataLimit else {
            throw .invalidCommandParameters
        }
    }

    /// Returns the shortest interval in the host's range into which an event fits.
    ///
    /// - Throws: `packetTooLong` if there is none.
    fileprivate func interval() throws(HCI.ErrorCode) -> Duration {
        let range = configuration.intervals
        guard !configuration.isLegacy else { return range.lowerBound }
        let event = max(
            configuration.eventDuration(data.bytes.count),
            configuration.responseDuration(response.bytes.count)
        )
        guard event <= range.upperBound else { throw .packetTooLong }
        return max(range.lowerBound, event)
    }
}
