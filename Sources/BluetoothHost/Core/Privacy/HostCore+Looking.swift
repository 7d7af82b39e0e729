// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

// By what address a peer is dialled. One that is private is called by its identity address if the
// controller recognises it, and has not just let it pass under another; else by the address with which
// it was just heard; and if that is long ago, it is looked for first. While an address that may be stale
// is tried, it is looked for beside, where the controller can do both: heard under another, it is
// dialled by that at once.
extension HostCore {
    /// How long a private address is dialled before it is looked whether the peer has another by now:
    /// longer than three of the longest advertising intervals that Apple recommends to accessories.
    static let trialLimit: Duration = .seconds(5)

    /// Asks the scheduler for the link, or looks for the peer.
    mutating func schedule(_ id: RequestIdentifier, now: Instant) {
        guard let dial = dials[id] else { return }
        guard let address = address(for: dial, now: now) else { return look(for: id, now: now) }
        dials[id]?.phase = .dialling
        dials[id]?.address = address
        let isCertain = addresses.resolves(dial.identity) && address == dial.identity
        let isTrial = resolver.knows(dial.identity) && !isCertain
        dials[id]?.trialEndsAt = isTrial ? now + Self.trialLimit : nil
        updateScan(now: now)
        let actions = scheduler.connect(
            id.rawValue,
            to: dial.options.approach == .direct ? .direct(address) : .pending(address),
            parameters: dial.options.parameters,
            now: now
        )
        perform(actions, now: now)
    }

    /// The address to dial; nil if the peer has to be looked for.
    private func address(for dial: Dial, now: Instant) -> DeviceAddress? {
        guard resolver.knows(dial.identity) else { return dial.target }
        // Who recognises it would have kept that address back: then it is not to be counted on.
        if let heard = sightedAddresses.address(of: dial.identity, now: now) { return heard }
        return addresses.resolves(dial.identity) ? dial.identity : nil
    }

    private mutating func look(for id: RequestIdentifier, now: Instant) {
        dials[id]?.phase = .looking
        dials[id]?.address = nil
        dials[id]?.trialEndsAt = nil
        updateScan(now: now)
    }

    /// Something has changed that decides by what address peers are dialled.
    mutating func reviewDials(now: Instant) {
        for id in dials.keys { reviewDial(id, now: now) }
    }

    mutating func reviewDial(_ id: RequestIdentifier, now: Instant) {
        guard let dial = dials[id] else { return }
        let address = address(for: dial, now: now)
        switch dial.phase {
        case .looking where address != nil: schedule(id, now: now)
        case .dialling where dial.address != nil && address != dial.address:
            // What is being tried is tried to its end, unless something better is known.
            if address != nil || dial.trialEndsAt == nil { turn(id, now: now) }
        default: break
        }
    }

    /// Takes a dial back from the scheduler, to give it another address.
    private mutating func turn(_ id: RequestIdentifier, now: Instant) {
        dials[id]?.phase = .turning
        dials[id]?.trialEndsAt = nil
        perform(scheduler.cancel(id.rawValue, now: now), now: now)
    }

    /// Private addresses that nobody has answered to for so long are not believed any more.
    mutating func endTrials(now: Instant) {
        for id in dials.keys {
            guard let dial = dials[id], dial.phase == .dialling, let end = dial.trialEndsAt,
                end <= now
            else { continue }
            let lastHeard = sightedAddresses.lastHeard(dial.identity)
            if let lastHeard, end - lastHeard < Self.trialLimit {
                // Somebody who scans hears it still.
                dials[id]?.trialEndsAt = now + Self.trialLimit
            } else {
                sightedAddresses.forget(dial.identity)
                turn(id, now: now)
            }
        }
    }

    /// Whoever was looking when the scanner failed, or when the controller did, is told; a standing
    /// wish survives the controller.
    mutating func failLooks(with error: HostError, includesStanding: Bool, now: Instant) {
        for (id, dial) in dials where dial.phase == .looking {
            guard includesStanding || dial.options.approach == .direct else { continue }
            dialFailed(id, with: error)
        }
        updateScan(now: now)
    }

    /// What the scanner is to do, for those who scan and for those who look.
    mutating func updateScan(now: Instant) {
        let triesAndLooks = scheduler.initiates(whileScanning: .looking)
        let looks = dials.values.contains {
            $0.phase == .looking || triesAndLooks && $0.isTrial
        }
        let wanted = scans.map(\.parameters) + (looks ? [.looking] : [])
        guard wanted.combined != scheduler.wantedScan else { return }
        perform(scheduler.setScan(wanted.combined, now: now), now: now)
    }
}

extension ScanParameters {
    /// Half of the time, quietly, and without leaving out whom the controller has heard before.
    fileprivate static let looking: ScanParameters = {
        var parameters = ScanParameters()
        parameters.isActive = false
        parameters.window = parameters.interval / 2
        parameters.filtersDuplicates = false
        return parameters
    }()
}
