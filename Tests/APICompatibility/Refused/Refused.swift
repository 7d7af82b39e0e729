// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.
//
// Each line with a comment causes the diagnostic that the comment names. This file is in no
// target: `generate-api-check --refusals` compiles it.

// swift-format-ignore-file

import CoreBluetooth  // add '@preconcurrency'
import Foundation

let madeCBManager = CBManager()  // line 3: inaccessible

let madeCBPeer = CBPeer()  // line 91: inaccessible

let madeCBAttribute = CBAttribute()  // line 145: inaccessible

let madeCBATTRequest = CBATTRequest()  // line 198: inaccessible

func send(x: CBManager) { let _: any Sendable = x }  // does not conform

func deprecated6(x: CBManager) {
_ = x.authorization  // line 6: deprecated
}

func exhaust(x: CBManagerState) {
switch x {  // may have additional unknown values
case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn: break
}
}

func exhaust(x: CBManagerAuthorization) {
switch x {  // may have additional unknown values
case .notDetermined, .restricted, .denied, .allowedAlways: break
}
}

func send(x: CBCentralManager) { let _: any Sendable = x }  // does not conform

let deprecated40: CBCentralManagerState? = nil  // line 40: deprecated

func exhaust(x: CBCentralManagerState) {  // deprecated
switch x {  // may have additional unknown values
case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn: break
}
}

let deprecated41 = CBCentralManagerState.unknown  // line 41: deprecated

let deprecated42 = CBCentralManagerState.resetting  // line 42: deprecated

let deprecated43 = CBCentralManagerState.unsupported  // line 43: deprecated

let deprecated44 = CBCentralManagerState.unauthorized  // line 44: deprecated

let deprecated45 = CBCentralManagerState.poweredOff  // line 45: deprecated

let deprecated46 = CBCentralManagerState.poweredOn  // line 46: deprecated

let deprecated47 = CBCentralManagerState.init(rawValue:)  // line 47: deprecated

func exhaust(x: CBConnectionEvent) {
switch x {  // may have additional unknown values
case .peerDisconnected, .peerConnected: break
}
}

func send(x: CBPeer) { let _: any Sendable = x }  // does not conform

func send(x: CBPeripheral) { let _: any Sendable = x }  // does not conform

func deprecated97(x: CBPeripheral) {
_ = x.rssi  // line 97: deprecated
}

func exhaust(x: CBPeripheralState) {
switch x {  // may have additional unknown values
case .disconnected, .connecting, .connected, .disconnecting: break
}
}

func exhaust(x: CBCharacteristicWriteType) {
switch x {  // may have additional unknown values
case .withResponse, .withoutResponse: break
}
}

func deprecated129(x: any CBPeripheralDelegate, a0: CBPeripheral, a1: (any Error)?) {
x.peripheralDidUpdateRSSI(a0, error: a1)  // line 129: deprecated
}

func send(x: CBAttribute) { let _: any Sendable = x }  // does not conform

func send(x: CBService) { let _: any Sendable = x }  // does not conform

func send(x: CBMutableService) { let _: any Sendable = x }  // does not conform

func send(x: CBCharacteristic) { let _: any Sendable = x }  // does not conform

func deprecated161(x: CBCharacteristic) {
_ = x.isBroadcasted  // line 161: deprecated
}

func send(x: CBMutableCharacteristic) { let _: any Sendable = x }  // does not conform

func send(x: CBDescriptor) { let _: any Sendable = x }  // does not conform

func send(x: CBMutableDescriptor) { let _: any Sendable = x }  // does not conform

func send(x: CBCentral) { let _: any Sendable = x }  // does not conform

func send(x: CBATTRequest) { let _: any Sendable = x }  // does not conform

func send(x: CBPeripheralManager) { let _: any Sendable = x }  // does not conform

let deprecated209 = CBPeripheralManager.authorizationStatus  // line 209: deprecated

func exhaust(x: CBPeripheralManagerConnectionLatency) {
switch x {  // may have additional unknown values
case .low, .medium, .high: break
}
}

let deprecated225: CBPeripheralManagerAuthorizationStatus? = nil  // line 225: deprecated

func exhaust(x: CBPeripheralManagerAuthorizationStatus) {  // deprecated
switch x {  // may have additional unknown values
case .notDetermined, .restricted, .denied, .authorized: break
}
}

let deprecated226 = CBPeripheralManagerAuthorizationStatus.notDetermined  // line 226: deprecated

let deprecated227 = CBPeripheralManagerAuthorizationStatus.restricted  // line 227: deprecated

let deprecated228 = CBPeripheralManagerAuthorizationStatus.denied  // line 228: deprecated

let deprecated229 = CBPeripheralManagerAuthorizationStatus.authorized  // line 229: deprecated

let deprecated230 = CBPeripheralManagerAuthorizationStatus.init(rawValue:)  // line 230: deprecated

let deprecated231: CBPeripheralManagerState? = nil  // line 231: deprecated

func exhaust(x: CBPeripheralManagerState) {  // deprecated
switch x {  // may have additional unknown values
case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn: break
}
}

let deprecated232 = CBPeripheralManagerState.unknown  // line 232: deprecated

let deprecated233 = CBPeripheralManagerState.resetting  // line 233: deprecated

let deprecated234 = CBPeripheralManagerState.unsupported  // line 234: deprecated

let deprecated235 = CBPeripheralManagerState.unauthorized  // line 235: deprecated

let deprecated236 = CBPeripheralManagerState.poweredOff  // line 236: deprecated

let deprecated237 = CBPeripheralManagerState.poweredOn  // line 237: deprecated

let deprecated238 = CBPeripheralManagerState.init(rawValue:)  // line 238: deprecated

func send(x: CBL2CAPChannel) { let _: any Sendable = x }  // does not conform

func send(x: CBUUID) { let _: any Sendable = x }  // does not conform

let deprecated267 = CBUUID.init(cfuuid:)  // line 267: deprecated

func exhaust(x: CBError.Code) {
switch x {  // may have additional unknown values
case .unknown, .invalidParameters, .invalidHandle, .notConnected, .outOfSpace, .operationCancelled, .connectionTimeout, .peripheralDisconnected, .uuidNotAllowed, .alreadyAdvertising, .connectionFailed, .connectionLimitReached, .unkownDevice, .operationNotSupported, .peerRemovedPairingInformation, .encryptionTimedOut, .tooManyLEPairedDevices, .leGattExceededBackgroundNotificationLimit, .leGattNearBackgroundNotificationLimit, .channelSoundingConfigurationFailed, .channelSoundingProcedureFailed: break
}
}

let deprecated309 = CBError.Code.unkownDevice  // line 309: deprecated

let deprecated331 = CBError.unkownDevice  // line 331: deprecated

func exhaust(x: CBATTError.Code) {
switch x {  // may have additional unknown values
case .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu, .insufficientAuthentication, .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound, .attributeNotLong, .insufficientEncryptionKeySize, .invalidAttributeValueLength, .unlikelyError, .insufficientEncryption, .unsupportedGroupType, .insufficientResources: break
}
}

func send(x: CBChannelSoundingSessionConfiguration) { let _: any Sendable = x }  // does not conform

func exhaust(x: CBChannelSoundingSessionConfiguration.Role) {
switch x {  // may have additional unknown values
case .initiator: break
}
}

func send(x: CBChannelSoundingProcedureResults) { let _: any Sendable = x }  // does not conform

let removedCBUUIDGenericAccessProfileString = CBUUIDGenericAccessProfileString  // cannot find

let removedCBUUIDGenericAttributeProfileString = CBUUIDGenericAttributeProfileString  // cannot find

let removedCBUUIDDeviceNameString = CBUUIDDeviceNameString  // cannot find

let removedCBUUIDAppearanceString = CBUUIDAppearanceString  // cannot find

let removedCBUUIDPeripheralPrivacyFlagString = CBUUIDPeripheralPrivacyFlagString  // cannot find

let removedCBUUIDReconnectionAddressString = CBUUIDReconnectionAddressString  // cannot find

let removedCBUUIDPeripheralPreferredConnectionParametersString = CBUUIDPeripheralPreferredConnectionParametersString  // cannot find

let removedCBUUIDServiceChangedString = CBUUIDServiceChangedString  // cannot find

let removedCBUUIDValidRangeString = CBUUIDValidRangeString  // cannot find

func refused(m: CBCentralManager, i: [UUID]) { m.retrievePeripherals(i) }  // missing argument label

func refused(m: CBCentralManager) { m.retrieveConnectedPeripherals() }  // missing argument

func refused(p: CBPeripheral) { _ = p.isConnected }  // no member

func refused(m: CBPeripheralManager) { m.startAdvertising() }  // missing argument

func refused(m: CBPeripheralManager, c: CBMutableCharacteristic) {
_ = m.updateValue(Data(), for: c)  // missing argument
}

func unused(m: CBPeripheralManager, c: CBMutableCharacteristic) {
m.updateValue(Data(), for: c, onSubscribedCentrals: nil)  // is unused
}

func refused(s: CBService) { let _: CBPeripheral = s.peripheral }  // must be unwrapped

class EmptyCBCentralManagerDelegate: NSObject, CBCentralManagerDelegate {}  // does not conform

class EmptyCBPeripheralManagerDelegate: NSObject, CBPeripheralManagerDelegate {}  // does not conform
