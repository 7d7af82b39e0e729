// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

@testable import BluetoothGAP
@testable import BluetoothHCI

/// Operations that a controller forbids, so that a scheduler must never request them.
enum Impossible: Error, Equatable {
    case parametersWhileScanning
    case scanEnabledTwice
    case scanEnabledWithoutParameters
    case acceptListEditedWhileInitiating
    case acceptListOverflow
    case secondInitiation
    case initiationWithoutTarget
    case scanAndInitiationAtOnce
    case cancelWithoutInitiation
    case addedTwice
    case removedWhatIsNotThere
    case twoCommandsAtOnce
    case scanDisabledTwice
}

/// A model of a controller, which throws on an operation that the specification forbids.
struct ModelController {
    var acceptListSize = 4
    /// Whether the controller can scan and initiate at the same time.
    var canOverlap = true
    /// Whether the supported states of the controller report `canOverlap`.
    var reportsStates = true

    private(set) var scanParameters: ScanParameters?
    private(set) var isScanning = false
    private(set) var acceptList: [DeviceAddress] = []
    private(set) var initiation: InitiationTarget?
    private(set) var enableCount = 0

    /// The peers that an initiation can connect to.
    var listensFor: [DeviceAddress] {
        switch initiation {
        case .peer(let address): [address]
        case .acceptList: acceptList
        case nil: []
        }
    }

    /// Performs the operation. Returns whether the operation ended an initiation, so that the
    /// controller must send the event of its end.
    mutating func perform(_ operation: ControllerOperation) throws(Impossible) -> Bool {
        switch operation {
        case .setScanParameters(let parameters):
            if isScanning { throw .parametersWhileScanning }
            scanParameters = parameters
        case .enableScan: try enableScan()
        case .disableScan:
            if !isScanning { throw .scanDisabledTwice }
            isScanning = false
        case .clearAcceptList, .addToAcceptList, .removeFromAcceptList: try edit(operation)
        case .createConnection(let target, _): try create(target)
        case .cancelConnection:
            if initiation == nil { throw .cancelWithoutInitiation }
            initiation = nil
            return true
        }
        return false
    }

    /// Makes a link to a peer, which ends the initiation.
    mutating func connect() {
        initiation = nil
    }

    mutating func stopScanning() {
        isScanning = false
    }

    mutating func reset() {
        self = ModelController(
            acceptListSize: acceptListSize,
            canOverlap: canOverlap,
            reportsStates: reportsStates
        )
    }

    private mutating func enableScan() throws(Impossible) {
        if isScanning { throw .scanEnabledTwice }
        if scanParameters == nil { throw .scanEnabledWithoutParameters }
        if initiation != nil, !canOverlap { throw .scanAndInitiationAtOnce }
        isScanning = true
        enableCount += 1
    }

    private mutating func edit(_ operation: ControllerOperation) throws(Impossible) {
        if initiation == .acceptList { throw .acceptListEditedWhileInitiating }
        switch operation {
        case .addToAcceptList(let address):
            if acceptList.contains(address) { throw .addedTwice }
            if acceptList.count >= acceptListSize { throw .acceptListOverflow }
            acceptList.append(address)
        case .removeFromAcceptList(let address):
            if !acceptList.contains(address) { throw .removedWhatIsNotThere }
            acceptList.removeAll { $0 == address }
        default: acceptList = []
        }
    }

    private mutating func create(_ target: InitiationTarget) throws(Impossible) {
        if initiation != nil { throw .secondInitiation }
        if isScanning, !canOverlap { throw .scanAndInitiationAtOnce }
        if target == .acceptList, acceptList.isEmpty { throw .initiationWithoutTarget }
        initiation = target
    }
}
