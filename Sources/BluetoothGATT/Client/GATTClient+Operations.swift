// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATTClient {
    func procedure(for operation: GATT.Operation, on bearer: ATTBearer) -> any GATT.Procedure {
        switch operation {
        case .exchangeMTU:
            ExchangeMTU(receiveMTU: bearer.receiveMTULimit)
        case .discoverPrimaryServices(nil):
            DiscoverAllPrimaryServices()
        case .discoverPrimaryServices(let uuid?):
            DiscoverPrimaryServiceByServiceUUID(uuid: uuid)
        case .discoverSecondaryServices:
            DiscoverAllPrimaryServices.ofSecondaryServices
        case .findIncludedServices(let first, let last):
            FindIncludedServices(
                sweep: HandleSweep(from: first, through: last),
                primaryServices: database.primaryServices
            )
        case .discoverCharacteristics(let first, let last, nil):
            DiscoverAllCharacteristicsOfService(sweep: HandleSweep(from: first, through: last))
        case .discoverCharacteristics(let first, let last, let uuid?):
            DiscoverCharacteristicsByUUID(
                uuid: uuid,
                sweep: HandleSweep(from: first, through: last)
            )
        case .discoverDescriptors(let first, let last):
            DiscoverAllCharacteristicDescriptors(sweep: HandleSweep(from: first, through: last))
        case .discoverAllDescriptors(let gaps):
            DiscoverDescriptorsOfAll(gaps: gaps)
        case .readDatabaseHash:
            ReadSingleCharacteristicValue(
                type: GATT.AttributeType.databaseHash,
                length: DatabaseRecord.hashLength
            )
        case .readDeviceName:
            ReadSingleCharacteristicValue(type: GATT.AttributeType.deviceName)
        case .read(let handle):
            ReadCharacteristicValue(handle: handle)
        case .readLong(let handle):
            ReadLongCharacteristicValues(handle: handle)
        case .readUsingUUID(let uuid, let first, let last):
            ReadUsingCharacteristicUUID(uuid: uuid, sweep: HandleSweep(from: first, through: last))
        case .readMultiple(let handles):
            ReadMultipleCharacteristicValues(handles: handles)
        case .readMultipleVariable(let handles):
            ReadMultipleVariableLengthCharacteristicValues(handles: handles)
        case .write(let handle, let value):
            WriteCharacteristicValue(handle: handle, value: value)
        case .writeLong(let handle, let offset, let value):
            WriteLongCharacteristicValues(handle: handle, offset: offset, value: value)
        case .reliableWrite(let values):
            CharacteristicValueReliableWrites(values: values)
        case .writeWithoutResponse(let handle, let value):
            WriteWithoutResponse(handle: handle, value: value)
        case .signedWriteWithoutResponse(let handle, let value, let signer):
            SignedWriteWithoutResponse(handle: handle, value: value, signer: signer)
        case .subscribe(_, let descriptor, let kind):
            WriteCharacteristicValue(configure: descriptor, for: kind)
        case .unsubscribe(_, let descriptor):
            WriteCharacteristicValue(configure: descriptor, for: nil)
        }
    }
}

extension GATT.Operation {
    /// Whether the operation uses the server's one queue of prepared writes for this client.
    var preparesWrites: Bool {
        switch self {
        case .writeLong, .reliableWrite: true
        default: false
        }
    }
}
